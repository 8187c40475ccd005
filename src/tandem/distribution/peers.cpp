#include "tandem/distribution/peers.h"

#include <ATen/ATen.h>

#include <algorithm>

namespace tandem::distribute {

Peers::Peers(std::shared_ptr<comm::Processes> processes) : processes_(std::move(processes)) {}

std::vector<PeerMessage> Peers::gather(const PeerMessage& own, Topic& topic) {
  const auto length = static_cast<int64_t>(own.values().size());
  while (true) {
    const int64_t room = topic.room_, size = room + 1;  // the length comes first
    Tensor part = at::zeros({size}, at::kDouble), whole = at::empty({count() * size}, at::kDouble);
    auto* mine = part.mutable_data_ptr<double>();
    mine[0] = static_cast<double>(length);
    std::copy_n(own.values().data(), std::min(length, room), mine + 1);
    processes_->rank().all_gather(part, whole);
    const auto* all = whole.const_data_ptr<double>();
    for (int64_t p = 0; p < count(); ++p) topic.room_ = std::max(topic.room_, static_cast<int64_t>(all[p * size]));
    if (topic.room_ > room) continue;  // known to all: they come again
    std::vector<PeerMessage> messages;
    for (int64_t p = 0; p < count(); ++p) {
      const auto* its = all + p * size;
      messages.emplace_back(std::vector<double>(its + 1, its + 1 + static_cast<int64_t>(*its)));
    }
    return messages;
  }
}

void Peers::take_from(Tensor& tensor, int64_t process) { processes_->rank().broadcast(tensor, process); }

Tensor Peers::join_rows(const Tensor& own, const std::vector<int64_t>& rows) {
  const int64_t most = *std::max_element(rows.begin(), rows.end());
  auto sizes = own.sizes().vec();
  sizes[0] = most;
  Tensor part = at::zeros(sizes, own.options());
  part.slice(0, 0, own.size(0)).copy_(own);
  sizes[0] = most * count();
  Tensor whole = at::empty(sizes, own.options());
  processes_->rank().all_gather(part, whole);
  std::vector<Tensor> pieces;
  for (int64_t p = 0; p < count(); ++p) pieces.push_back(whole.narrow(0, p * most, rows[static_cast<std::size_t>(p)]));
  return at::cat(pieces);
}

}  // namespace tandem::distribute
