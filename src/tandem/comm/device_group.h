#pragma once
#include <c10/core/Device.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tandem/comm/local_group.h"
#include "tandem/comm/rank_group.h"

namespace tandem::comm {

class DeviceMeetings;
class DeviceRank;

/// Ranks that are threads of this process, each on a GPU or a part of one; the counterpart of LocalGroup. Where every
/// rank has a card of its own tensors travel by NCCL; where ranks share a card, which NCCL refuses, each adds up one
/// slice of all tensors and copies the others', ordered by events of the card. Every rank gets the same bits. Tensors
/// of the CPU travel as in a LocalGroup.
class DeviceGroup final : public RankGroup {
 public:
  /// `devices`: by rank, all of one kind of accelerator. `limit_seconds`: how long a rank waits for the others in one
  /// collective. Throws InvalidArgument where NCCL is needed and libtandem_cuda cannot be opened.
  explicit DeviceGroup(const std::vector<c10::Device>& devices, double limit_seconds = 600);
  ~DeviceGroup() override;

  int64_t world_size() const override { return static_cast<int64_t>(ranks_.size()); }
  Communicator& rank(int64_t r) override;
  const Communicator& rank(int64_t r) const override;
  void abort(const std::string& reason) override;
  /// Waits until the cards have done what they were given: it may use tensors that nobody else keeps.
  void reset() override;

 private:
  LocalGroup host_;
  std::shared_ptr<DeviceMeetings> meetings_;
  std::vector<std::unique_ptr<DeviceRank>> ranks_;
};

}  // namespace tandem::comm
