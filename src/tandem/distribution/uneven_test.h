#pragma once
// What loops of unequal lengths train in tests.
#include <ATen/core/Tensor.h>
#include <ATen/ops/tanh.h>
#include <c10/core/GradMode.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/linear.h>

#include <cstdint>
#include <vector>

#include "tandem/core/random.h"
#include "tandem/distribution/sync_batch_norm.h"

namespace tandem::distribute::uneven {

// With buffers that follow each batch, and a way that a call need not take.
struct ForkImpl : torch::nn::Module {
  explicit ForkImpl(uint64_t seed = 3) {
    first = register_module("first", torch::nn::Linear(4, 6));
    norm = register_module("norm", torch::nn::BatchNorm1d(6));
    left = register_module("left", torch::nn::Linear(6, 3));
    right = register_module("right", torch::nn::Linear(6, 3));
    const c10::NoGradGuard no_grad;
    uint64_t i = 0;
    for (auto& p : parameters()) p.copy_(RandomStream(seed).fold(i++).normal(Shape::of(p.sizes().vec())));
  }
  Tensor forward(const Tensor& x, bool take_right) {
    const Tensor y = at::tanh(norm(first(x)));
    return take_right ? left(y) + right(y) : left(y);
  }
  torch::nn::Linear first{nullptr}, left{nullptr}, right{nullptr};
  torch::nn::BatchNorm1d norm{nullptr};
};
TORCH_MODULE(Fork);

inline Tensor step_rows(int64_t rank, int64_t step, int64_t part = 0) {
  return RandomStream(7).fold(static_cast<uint64_t>(rank)).fold(static_cast<uint64_t>(10 * step + part)).normal({3, 4});
}
inline bool goes_right(int64_t rank, int64_t step) { return step > 0 && (rank + step) % 2 == 0; }
inline Tensor loss_of_fork(const Tensor& output) { return output.square().mean(); }

struct Case {
  std::vector<int64_t> steps;  // by rank
  bool by_those_with_data = false;
  bool no_sync = false;  // a step is two passes, of which the first exchanges nothing
  int64_t bucket_bytes = 25 << 20;
};

// N: SyncBatchNorm, or BatchNorm1d, which the formula applies to the rows of all ranks that have some.
template <class N>
struct NormedImpl : torch::nn::Module {
  NormedImpl() {
    first = register_module("first", torch::nn::Linear(4, 6));
    norm = register_module("norm", N(6));
    last = register_module("last", torch::nn::Linear(6, 6));
    again = register_module("again", N(torch::nn::BatchNormOptions(6).affine(false)));
    const c10::NoGradGuard no_grad;
    uint64_t i = 0;
    for (auto& p : parameters()) p.copy_(RandomStream(6).fold(i++).normal(Shape::of(p.sizes().vec())));
  }
  Tensor forward(const Tensor& x) { return again(last(at::tanh(norm(first(x))))); }
  torch::nn::Linear first{nullptr}, last{nullptr};
  N norm{nullptr}, again{nullptr};
};
template <class N>
using Normed = torch::nn::ModuleHolder<NormedImpl<N>>;

inline Tensor loss_of_normed(const Tensor& output) { return (output * output.tanh()).mean(); }

}  // namespace tandem::distribute::uneven
