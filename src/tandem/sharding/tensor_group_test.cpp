// What the ranks of a tensor group exchange, against the same computed on one.
#include "tandem/sharding/tensor_group.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <functional>

#include "tandem/core/random.h"
#include "tandem/testing/run_ranks.h"

namespace tandem::sharding {
namespace {

constexpr int64_t kRanks = 3;
const Division kColumns{2, 5};  // divided 2, 2, 1

Tensor drawn(const Shape& shape, uint64_t key) { return RandomStream(key).normal(shape); }

void on_ranks(const std::function<void(const Place&)>& act) {
  testing::run_ranks(kRanks, [&](comm::Communicator& communicator) {
    const TensorGroupScope scope(communicator);
    act({communicator.rank(), kRanks});
  });
}

Tensor gradient_of(const Tensor& x, const Tensor& y, const Tensor& of_y) {
  (y * of_y).sum().backward();
  return x.grad();
}

TEST(TensorGroup, SumsAndTheirGradients) {
  on_ranks([](const Place& place) {
    const Tensor x = drawn({4, 3}, static_cast<uint64_t>(place.rank)).requires_grad_();
    const Tensor y = summed(x), of_y = drawn({4, 3}, 9);
    EXPECT_TRUE(at::allclose(y, drawn({4, 3}, 0) + drawn({4, 3}, 1) + drawn({4, 3}, 2)));
    EXPECT_TRUE(at::equal(gradient_of(x, y, of_y), of_y));
  });
}

TEST(TensorGroup, WhatAllReadGetsTheSumOfTheirGradients) {
  on_ranks([](const Place& place) {
    const Tensor x = drawn({4, 3}, 5).requires_grad_(), of_y = drawn({4, 3}, static_cast<uint64_t>(place.rank));
    const Tensor y = entered(x);
    EXPECT_TRUE(at::equal(y, x));
    EXPECT_TRUE(at::allclose(gradient_of(x, y, of_y), drawn({4, 3}, 0) + drawn({4, 3}, 1) + drawn({4, 3}, 2)));
    EXPECT_FALSE(entered(x.detach()).requires_grad());
  });
}

TEST(TensorGroup, GatheringAndSlicingAreEachOthersBackward) {
  const Tensor whole = drawn({4, 10}, 7), of_whole = drawn({4, 10}, 8);
  on_ranks([&](const Place& place) {
    const Tensor part = part_of(whole, -1, kColumns, place).clone().requires_grad_();
    const Tensor all = gathered(part, kColumns, place);
    EXPECT_TRUE(at::equal(all, whole));
    EXPECT_TRUE(at::equal(gradient_of(part, all, of_whole), part_of(of_whole, -1, kColumns, place)));
    const Tensor x = whole.clone().requires_grad_();
    const Tensor own = sliced(x, kColumns, place);
    EXPECT_TRUE(at::equal(own, part));
    EXPECT_TRUE(at::equal(gradient_of(x, own, part_of(of_whole, -1, kColumns, place)), of_whole));
  });
}

TEST(TensorGroup, SixteenBitsAreAddedUpInFloat32) {
  on_ranks([](const Place& place) {
    // 256 + 1 + 1: in bfloat16, whose neighbours of 256 are 2 apart, each 1 alone would be lost.
    const Tensor x = at::full({2}, place.rank == 0 ? 256 : 1, at::kBFloat16);
    EXPECT_EQ(summed(x)[0].item<double>(), 258);
    EXPECT_EQ(summed(x).scalar_type(), at::kBFloat16);
  });
}

TEST(TensorGroup, OutsideOfOneShapesAreRight) {
  const Place place{1, kRanks};
  EXPECT_EQ(gathered(at::ones({4, 4}), kColumns, place).sizes(), (at::IntArrayRef{4, 10}));
  EXPECT_EQ(sliced(at::ones({4, 10}), kColumns, place).sizes(), (at::IntArrayRef{4, 4}));
  EXPECT_TRUE(at::equal(summed(at::ones({2})), at::ones({2})));
  EXPECT_EQ(sum_of(3), 3);
}

}  // namespace
}  // namespace tandem::sharding
