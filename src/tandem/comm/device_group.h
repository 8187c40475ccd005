#pragma once
#include <c10/core/Device.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tandem/comm/communicator.h"
#include "tandem/comm/local_group.h"

namespace tandem::comm {

class DeviceMeetings;
class DeviceRank;

/// Ranks that are threads of this process, each on a GPU or a part of one; the counterpart of LocalGroup. Where every
/// rank has a card of its own tensors travel by NCCL; where ranks share a card, which NCCL refuses, each adds up one
/// slice of all tensors and copies the others', ordered by events of the card. Every rank gets the same bits. Tensors
/// of the CPU travel as in a LocalGroup.
class DeviceGroup {
 public:
  /// `devices`: by rank, all of one kind of accelerator. `limit_seconds`: how long a rank waits for the others in one
  /// collective. Throws InvalidArgument where NCCL is needed and libtandem_cuda cannot be opened.
  explicit DeviceGroup(const std::vector<c10::Device>& devices, double limit_seconds = 600);
  ~DeviceGroup();

  int64_t world_size() const { return static_cast<int64_t>(ranks_.size()); }
  /// The communicator of one rank; to be used by one thread at a time.
  Communicator& rank(int64_t r);
  /// Ends the waits of all ranks with PeerError that gives `reason`: a rank has failed.
  void abort(const std::string& reason);
  /// Makes the group usable again after abort; no rank may be in a collective.
  void reset();

 private:
  LocalGroup host_;
  std::shared_ptr<DeviceMeetings> meetings_;
  std::vector<std::unique_ptr<DeviceRank>> ranks_;
};

}  // namespace tandem::comm
