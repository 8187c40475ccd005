#pragma once
#include <vector>

#include "tandem/comm/communicator.h"
#include "tandem/core/tensor.h"
#include "tandem/sharding/division.h"

namespace tandem::sharding {

/// While alive, this thread is a rank of a tensor group: the ranks that have the parts of one replica of a model. What
/// layers exchange goes through `communicator`, in backward too, which runs on the same thread.
class TensorGroupScope {
 public:
  explicit TensorGroupScope(comm::Communicator& communicator);
  ~TensorGroupScope();
  TensorGroupScope(const TensorGroupScope&) = delete;
  TensorGroupScope& operator=(const TensorGroupScope&) = delete;

 private:
  comm::Communicator* outer_;
};

/// These are between the ranks of the thread's group; each rank's rows are the same. Outside of a group they give
/// tensors of the right shape with what this rank knows: for dry runs, which ask for shapes alone.

/// Every rank's `x` is an addend: their sum, in the type of x; those of 16 bits are added in float32. Its gradient is
/// each addend's.
Tensor summed(const Tensor& x);
/// `x`, which every rank has whole and computes its own part from: the gradient is the sum of what the ranks' parts
/// give.
Tensor entered(const Tensor& x);
/// The whole of what is divided on its last axis; the gradient, the same on every rank, goes to the parts.
Tensor gathered(const Tensor& part, const Division& division, const Place& place);
/// This rank's part of the last axis; the gradient is gathered.
Tensor sliced(const Tensor& whole, const Division& division, const Place& place);
/// The sums of the ranks' numbers; collective.
void add_up(std::vector<double>& values);
double sum_of(double own);

}  // namespace tandem::sharding
