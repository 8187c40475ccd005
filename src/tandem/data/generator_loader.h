#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "tandem/data/loader.h"

namespace tandem::data {

/// A Loader's part for a BatchGenerator: asks its function for batches, checks them and applies the transforms. With
/// Dataset::prefetch one thread does so ahead; what it has asked for and nobody took goes back to the stream.
class GeneratorLoader {
 public:
  GeneratorLoader(Dataset dataset, const LoaderOptions& options);
  ~GeneratorLoader();

  void start_epoch(int64_t epoch);
  std::optional<Batch> next();
  /// The batch that next() gave last was not used: it is the next one again, also for a later loader of a stream.
  void give_back();
  /// True where the data is one stream and that has ended.
  bool spent() const;
  double waited() const;

 private:
  friend std::vector<Batch> first_batches(const Dataset& dataset, int64_t count, const RandomStream& random);
  class Impl;
  std::unique_ptr<Impl> impl_;
};

/// The first batches of pass 0 of a BatchGenerator, at most `count`, which stay where they are.
std::vector<Batch> first_batches(const Dataset& dataset, int64_t count, const RandomStream& random);

}  // namespace tandem::data
