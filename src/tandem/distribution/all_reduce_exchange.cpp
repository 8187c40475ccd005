#include "tandem/distribution/all_reduce_exchange.h"

namespace tandem::distribute {

AllReduceExchange::AllReduceExchange(FlatWeights& weights, comm::Communicator& communicator,
                                     std::vector<GradientBucket> buckets, comm::Algorithm algorithm, bool wants_result)
    : GradientExchange(weights, std::move(buckets), communicator.world_size() > 1),
      communicator_(communicator),
      algorithm_(algorithm),
      wants_result_(wants_result),
      pending_(this->buckets().size()) {
  for (const auto& bucket : this->buckets())
    gradients_.push_back(weights.gradients().narrow(0, bucket.begin, bucket.end - bucket.begin));
}

void AllReduceExchange::reset(const UpdateTerms& /*terms*/) {
  for (auto& pending : pending_) pending = {};
}

void AllReduceExchange::start(std::size_t bucket) {
  pending_[bucket] = communicator_.all_reduce_async(
      gradients_[bucket],
      {.algorithm = algorithm_, .wants_result = wants_result_, .what = buckets()[bucket].what.c_str()});
}

}  // namespace tandem::distribute
