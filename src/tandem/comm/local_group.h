#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tandem/comm/rank_group.h"
#include "tandem/comm/turns.h"

namespace tandem::comm {

class LocalHub;
class LocalRank;

/// Ranks that are threads of this process: each reads and writes the others' tensors in place.
class LocalGroup final : public RankGroup {
 public:
  /// `limit_seconds`: how long a rank waits for the others in one call. `turns`: by rank, those of the device that it
  /// shares with others, or null; empty: all ranks compute at once. A rank must hold a turn when it makes a call.
  explicit LocalGroup(int64_t world_size, double limit_seconds = 600,
                      const std::vector<std::shared_ptr<Turns>>& turns = {});
  ~LocalGroup() override;

  int64_t world_size() const override;
  Communicator& rank(int64_t r) override;
  const Communicator& rank(int64_t r) const override;
  void abort(const std::string& reason) override;
  void reset() override;

 private:
  std::shared_ptr<LocalHub> hub_;
  std::vector<std::unique_ptr<LocalRank>> ranks_;
};

}  // namespace tandem::comm
