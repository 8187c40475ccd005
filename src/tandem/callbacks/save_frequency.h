#pragma once
#include <concepts>
#include <cstdint>
#include <string>

#include "tandem/core/config.h"

namespace tandem::callbacks {

/// How often a callback saves: "epoch", or a positive number of batches. Throws InvalidArgument for anything
/// else.
class SaveFrequency {
 public:
  SaveFrequency(const char* epoch) : SaveFrequency(std::string(epoch)) {}
  SaveFrequency(const std::string& epoch);
  template <std::integral I>
  SaveFrequency(I batches) : batches_(checked(static_cast<int64_t>(batches))) {}

  /// From member "save_freq"; missing or null: "epoch".
  static SaveFrequency from_config(const Config& config);

  /// 0: at the end of epochs.
  int64_t batches() const { return batches_; }

 private:
  static int64_t checked(int64_t batches);
  int64_t batches_ = 0;
};

}  // namespace tandem::callbacks
