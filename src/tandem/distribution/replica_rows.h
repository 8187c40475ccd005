#pragma once
#include <optional>

#include "tandem/data/batch.h"
#include "tandem/distribution/device_feed.h"

namespace tandem::distribute {

/// Where a replica gets its rows from: on a CPU they are taken as they are, to a GPU a DeviceFeed carries them, those
/// of the next step while this one is computed. Used on the replica's thread, within its StreamScope.
class ReplicaRows {
 public:
  explicit ReplicaRows(c10::Device device);

  /// `rows` where the replica computes: those that were sent ahead, where they are the same. Their tensors hold until
  /// the bring after the next.
  data::Batch bring(data::Batch rows);
  /// Starts to carry what the next bring is expected to ask for. Nothing on a CPU.
  void send_ahead(const data::Batch& rows);

 private:
  std::optional<DeviceFeed> feed_;
  data::Batch ahead_;  // keeps its memory, so that no other batch can have its place
};

}  // namespace tandem::distribute
