#pragma once
#include <ATen/core/Tensor.h>
#include <ATen/ops/full.h>
#include <ATen/ops/zeros.h>

#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tandem/servers/plan_test.h"
#include "tandem/servers/server_group.h"
#include "tandem/servers/server_talk.h"

namespace tandem::servers {

/// What a server said to a worker.
struct Answer {
  std::string who;
  Header header;
  std::vector<Frame> payload;
};

/// Two servers; what goes between them lies in queues until it is delivered.
class TwoHosts {
 public:
  /// `save`: where both save, if anywhere.
  TwoHosts(ServerMode mode, const std::string& way, int64_t every, int64_t workers, const SaveOptions& save = {})
      : plan(plan_of("SGD", Config::object({{"learning_rate", 1.0}}), {.mode = mode, .workers = workers}, 1, 64)) {
    for (std::size_t h = 0; h < 2; ++h) {
      hosts[h].group =
          std::make_unique<ServerGroup>(GroupOptions{{"a:1", "b:2"},
                                                     static_cast<int64_t>(h),
                                                     server_sync(way),
                                                     every,
                                                     save.folder.empty() ? 0 : save.every_updates},
                                        [this](int64_t to, const Header& header, std::vector<Frame> payload) {
                                          payload.insert(payload.begin(), Frame::of(encode(header)));
                                          hosts[static_cast<std::size_t>(to)].queue.push_back(std::move(payload));
                                        });
      if (!save.folder.empty())
        hosts[h].files = std::make_unique<SnapshotFiles>(save, SavingHost{static_cast<int64_t>(h), 2, "host"});
      hosts[h].talk = std::make_unique<ServerTalk>(
          10,
          [this, h](const std::string& who, const Header& header, std::vector<Frame> payload) {
            hosts[h].answers.push_back({who, header, std::move(payload)});
          },
          hosts[h].files.get());
      hosts[h].talk->join(hosts[h].group.get());
    }
    for (int32_t w = 0; w < workers; ++w) {
      for (std::size_t h = 0; h < 2; ++h) hello(h, w);
    }
    deliver();
    for (auto& host : hosts) host.begun = std::exchange(host.answers, {});
  }

  void say(std::size_t host, Header header, std::vector<Frame> payload = {}, double now = 0) {
    payload.insert(payload.begin(), Frame::of(encode(header)));
    hosts[host].talk->hear("worker-" + std::to_string(header.worker), payload, now);
  }
  void hello(std::size_t host, int32_t worker) {
    std::vector<Frame> payload{Frame::of(plan.encode())};
    for (int64_t b = 0; worker == 0 && b < plan.blocks(); ++b)
      payload.push_back(Frame::of(at::zeros({plan.block_elements(b)})));
    say(host, {.kind = Kind::hello, .worker = worker}, payload);
  }
  void push(std::size_t host, int32_t worker, uint64_t id, int64_t version, double gradient, int64_t blocks = -1) {
    for (int64_t b = 0; b < (blocks < 0 ? plan.blocks() : blocks); ++b)
      say(host, {.kind = Kind::push, .worker = worker, .id = id, .block = b, .version = version, .rows = 1},
          {Frame::of(at::full({plan.block_elements(b)}, gradient))});
  }
  void deliver() {
    for (bool any = true; any;) {
      any = false;
      for (auto& host : hosts) {
        const auto queue = std::exchange(host.queue, {});
        any = any || !queue.empty();
        for (const auto& frames : queue) host.talk->hear("server", frames, 0);
      }
    }
  }
  void lose() {
    for (auto& host : hosts) host.queue.clear();
  }
  // Answers of a kind to a worker.
  std::vector<Answer> answers(std::size_t host, int32_t worker, Kind kind) const {
    std::vector<Answer> some;
    for (const auto& answer : hosts[host].answers) {
      if (answer.who == "worker-" + std::to_string(worker) && answer.header.kind == kind) some.push_back(answer);
    }
    return some;
  }

  struct Host {
    std::unique_ptr<SnapshotFiles> files;
    std::unique_ptr<ServerGroup> group;
    std::unique_ptr<ServerTalk> talk;
    std::deque<std::vector<Frame>> queue;
    std::vector<Answer> answers, begun;  // to what workers said, and before that to their beginning
  };
  ServerPlan plan;
  Host hosts[2];
};

}  // namespace tandem::servers
