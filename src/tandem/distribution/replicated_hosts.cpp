// Replicated: hosts that have a parameter server each, which average their parameters.
#include <algorithm>

#include "tandem/distribution/replicated.h"

namespace tandem::distribute {

void Replicated::take_first_weights() {
  for (const auto& w : masters_) {
    Tensor& value = w.variable().value;
    if (value.numel() == 0) continue;
    if (peers_) peers_->take_from(value, 0);
    if (crowd_) crowd_->take_from_first(value);
  }
}

std::vector<servers::ServerFigures> Replicated::server_figures() const {
  std::vector<servers::ServerFigures> all;
  if (!how_.servers) return all;
  std::vector<int64_t> asked;  // of hosts
  for (int64_t r = 0; r < ranks(); ++r) {
    const auto host = how_.servers->host_of(first_worker() + r);
    if (std::find(asked.begin(), asked.end(), host) != asked.end()) continue;
    asked.push_back(host);
    for (auto& figures : served(static_cast<std::size_t>(r)).client().figures()) all.push_back(std::move(figures));
  }
  return all;
}

int64_t Replicated::rounds_begun() const {
  int64_t begun = 0;
  for (const auto& one : server_figures()) begun = std::max(begun, one.rounds_begun);
  return begun;
}

// Each server comes to the round behind the last that was begun when nobody trains any more: with the parameters that
// all updates have been made of.
void Replicated::average_servers() {
  const auto begun = by_rank(std::vector<double>{static_cast<double>(rounds_begun())});
  const auto round = static_cast<int64_t>(*std::max_element(begun.begin(), begun.end())) + 1;
  run([&](int64_t rank, Replica&) { served(static_cast<std::size_t>(rank)).average(round); });
}

void Replicated::average_servers_in_step() {
  if (how_.where != UpdatePlace::own_servers || updates_apart_ == 0 || parted_) return;
  average_servers();
  run([&](int64_t rank, Replica&) { served(static_cast<std::size_t>(rank)).pull(); });
  updates_apart_ = 0;
}

ServerAverages Replicated::server_averages() const {
  ServerAverages averages;
  if (!per_host()) return averages;
  for (const auto& one : server_figures()) {
    averages.rounds = std::max(averages.rounds, one.rounds);
    averages.bytes += one.bytes_to_servers;
  }
  return averages;
}

}  // namespace tandem::distribute
