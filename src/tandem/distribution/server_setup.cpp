#include "tandem/distribution/server_setup.h"

#include <c10/util/StringUtil.h>

#include <atomic>

namespace tandem::distribute {
namespace {

std::string own_address() {
  static std::atomic<int64_t> count{0};
  return c10::str("inproc://parameter server ", count++);
}

}  // namespace

ServerSetup::ServerSetup(const ServerChoice& choice) : choice_(choice) {
  while (static_cast<int64_t>(own_.size()) < choice_.own) {
    own_.push_back(std::make_unique<servers::Server>(servers::ServerOptions{.address = own_address()}));
    choice_.addresses.push_back(own_.back()->address());
  }
}

servers::ServerPlan ServerSetup::plan(const FlatWeights& weights, const Optimizer& optimizer, int64_t workers) const {
  servers::ServerPlan plan{.mode = choice_.mode,
                           .workers = workers,
                           .staleness = choice_.staleness,
                           .elements = weights.parameters().numel()};
  for (std::size_t i = 0; i < weights.weights().size(); ++i) {
    const auto& weight = weights.weights()[i];
    const Tensor place = weights.view(weights.parameters(), i);
    plan.weights.push_back({weight.name(), weights.places()[i].offset, place.sizes().vec(), place.strides().vec(),
                            static_cast<int64_t>(i)});
  }
  return servers::divide_among_servers(std::move(plan), optimizer, static_cast<int64_t>(choice_.addresses.size()),
                                       choice_.block_bytes);
}

servers::ClientOptions ServerSetup::client(int64_t worker) const {
  return {.servers = choice_.addresses, .worker = worker, .key = choice_.key};
}

}  // namespace tandem::distribute
