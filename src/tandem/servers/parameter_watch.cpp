#include "tandem/servers/parameter_watch.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "tandem/core/error.h"
#include "tandem/servers/server_links.h"
#include "tandem/servers/state_frames.h"
#include "tandem/servers/watched_statistics.h"

namespace tandem::servers {
namespace {

constexpr std::size_t kBeforeBlocks = 2;  // payload frames: plan and statistics

ClientOptions checked(const ClientOptions& options) {
  if (options.servers.empty()) throw InvalidArgument("parameter servers: there must be one, got no address");
  return options;
}

}  // namespace

class ParameterWatch::Body {
 public:
  explicit Body(const ClientOptions& options)
      : begin_seconds_(options.begin_seconds),
        answers_(checked(options).servers.size()),
        last_(answers_.size()),
        links_(
            options, [this](std::size_t s, ServerLink::Message& message) { take_in(s, message); }, "evaluator") {}

  ~Body() {
    const auto lock = links_.lock();
    for (std::size_t s = 0; s < links_.count(); ++s) leave(s);
  }

  void begin() {
    const auto lock_and_ask = [&] {
      const auto lock = links_.lock();
      ask_all({.kind = Kind::watch, .rows = 1});
    };
    lock_and_ask();
    wait([](std::size_t) { return true; }, begin_seconds_);
  }

  void ask(int64_t updates) {
    const auto lock = links_.lock();
    ask_all({.kind = Kind::watch, .version = updates});
  }

  Look take() {
    for (int64_t ahead = 1;; ahead *= 2) {
      wait([](std::size_t) { return false; }, 0);
      auto answers = [&] {
        const auto lock = links_.lock();
        auto all = answers_;
        for (std::size_t s = 0; s < all.size(); ++s) {
          if (!all[s]) all[s] = last_[s];
        }
        return all;
      }();
      Look look{.plan = ServerPlan::decode(frame(*answers.front(), 0).text())};
      const bool every_host = look.plan.servers() == 1;  // each has all parameters
      if (every_host) answers.resize(1);
      const auto [least, most] = std::minmax_element(answers.begin(), answers.end(), [](const auto& a, const auto& b) {
        return a->header.version < b->header.version;
      });
      look.updates = (*least)->header.version;
      look.done =
          std::all_of(answers.begin(), answers.end(), [](const auto& one) { return one->header.staleness > 0; });
      if (!look.done && look.plan.mode == ServerMode::sync && look.updates != (*most)->header.version) {
        ask((*most)->header.version + ahead);  // which none of them has made yet, it may be
        continue;
      }
      read(answers, look);
      return look;
    }
  }

  void abort(const std::string& reason) { links_.abort(reason); }

 private:
  using Answer = std::optional<ServerLink::Message>;

  static const Frame& frame(const ServerLink::Message& answer, std::size_t i) {
    if (i >= answer.payload.size()) throw DataError("parameter servers: an answer lacks a part of its payload");
    return answer.payload[i];
  }

  void read(const std::vector<Answer>& answers, Look& look) const {
    const auto& plan = look.plan;
    if (plan.servers() != static_cast<int64_t>(answers.size()))
      throw InvalidArgument(c10::str("evaluator: must be given the ", plan.servers(),
                                     " servers that the workers have, got ", answers.size()));
    look.parameters = at::empty({plan.elements}, at::kFloat);
    for (std::size_t s = 0; s < answers.size(); ++s) {
      const auto& answer = *answers[s];
      const auto server = static_cast<int64_t>(s);
      if (answer.header.block != server || frame(answer, 0).text() != frame(*answers.front(), 0).text())
        throw InvalidArgument(c10::str("evaluator: ", links_.name(s), " is number ", answer.header.block,
                                       " of its job: servers must be named in the workers' order"));
      const auto blocks = blocks_of(answer.payload, kBeforeBlocks, plan, server);
      for (std::size_t b = 0; b < blocks.size(); ++b) {
        const int64_t block = plan.first_block(server) + static_cast<int64_t>(b);
        look.parameters.narrow(0, plan.block_begin(block), plan.block_elements(block)).copy_(blocks[b]);
      }
    }
    const auto said = frame(*answers.front(), 1).text();
    if (!said.empty()) look.statistics = decode_statistics(said);
  }

  // Under the lock of links_, as leave and take_in.
  void ask_all(const Header& question) {
    question_ = question;
    question_.id = ++asked_;
    for (std::size_t s = 0; s < links_.count(); ++s) {
      answers_[s].reset();
      if (!last_[s]) links_.send(s, question_);  // else that server may have ended
    }
  }

  bool answered(std::size_t s) const { return answers_[s] || last_[s]; }

  void leave(std::size_t s) {
    try {
      links_.send(s, {.kind = Kind::leave});
    } catch (const std::exception&) {  // it is gone
    }
  }

  void take_in(std::size_t s, ServerLink::Message& message) {
    const auto& header = message.header;
    if (header.kind != Kind::watch) return;
    if (header.staleness > 0 && !message.payload.empty()) {
      last_[s] = std::move(message);
      leave(s);  // it waits for that before it ends
    } else if (header.id == question_.id) {
      answers_[s] = std::move(message);
    }
  }

  template <class Misses>
  void wait(const Misses& misses, double seconds) {
    links_.wait_until({.done =
                           [&] {
                             for (std::size_t s = 0; s < answers_.size(); ++s) {
                               if (!answered(s)) return false;
                             }
                             return true;
                           },
                       .misses = [&](std::size_t s) { return !answered(s) && misses(s); },
                       .again =
                           [&](std::size_t s) {
                             if (!answered(s)) links_.send(s, question_);
                           },
                       .what = "got no answer of",
                       .seconds = seconds});
  }

  const double begin_seconds_;
  uint64_t asked_ = 0;
  // Guarded by the lock of links_:
  Header question_;
  std::vector<Answer> answers_, last_;  // by server: to the question, and when the workers were done
  ServerLinks links_;                   // last: its thread uses the others
};

ParameterWatch::ParameterWatch(const ClientOptions& options) : body_(std::make_unique<Body>(options)) {}
ParameterWatch::~ParameterWatch() = default;
void ParameterWatch::begin() { body_->begin(); }
void ParameterWatch::ask(int64_t updates) { body_->ask(updates); }
ParameterWatch::Look ParameterWatch::take() { return body_->take(); }
void ParameterWatch::abort(const std::string& reason) { body_->abort(reason); }

}  // namespace tandem::servers
