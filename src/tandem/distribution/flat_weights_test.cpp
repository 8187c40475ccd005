#include "tandem/distribution/flat_weights.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "tandem/layers/conv2d.h"
#include "tandem/layers/dense.h"

namespace tandem::distribute {
namespace {

std::vector<Weight> weights_of_two_layers() {
  const layers::Conv2D conv(5, {3, 2});
  conv->ensure_built({Shape{Shape::kUnknown, 8, 8, 3}});
  const layers::Dense dense(3);
  dense->ensure_built({Shape{Shape::kUnknown, 7}});
  auto weights = conv.weights();
  for (const auto& w : dense.weights()) weights.push_back(w);
  return weights;
}

TEST(FlatWeights, ViewsLieSideBySideAndKeepTheMastersStrides) {
  const auto weights = weights_of_two_layers();
  FlatWeights flat(weights);
  // 90, 5, 21 and 3 elements, each from a multiple of 16 on.
  EXPECT_EQ(flat.parameters().numel(), 96 + 16 + 32 + 16);
  EXPECT_EQ(flat.gradients().numel(), flat.parameters().numel());
  WeightMap map;
  flat.add_to(map);
  const int64_t offsets[] = {0, 96, 112, 144};
  const auto* base = flat.parameters().const_data_ptr<float>();
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const Tensor& own = map.at(&weights[i].variable());
    EXPECT_EQ(own.const_data_ptr<float>(), base + offsets[i]);
    EXPECT_EQ(own.sizes(), weights[i].variable().value.sizes());
    EXPECT_EQ(own.strides(), weights[i].variable().value.strides());
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(own.const_data_ptr()) % 64, reinterpret_cast<std::uintptr_t>(base) % 64);
    EXPECT_TRUE(own.is_leaf() && own.requires_grad());
  }
  EXPECT_FALSE(weights[0].variable().value.is_contiguous()) << "the kernel's memory is meant to be its algorithm's";
}

TEST(FlatWeights, LoadAndStoreCarryValues) {
  const auto weights = weights_of_two_layers();
  FlatWeights flat(weights);
  EXPECT_EQ(flat.parameters().abs().sum().item<float>(), 0);
  flat.load();
  WeightMap map;
  flat.add_to(map);
  for (const auto& w : weights) EXPECT_TRUE(at::equal(map.at(&w.variable()), w.variable().value));
  const Tensor kernel = weights[0].variable().value.clone();
  flat.parameters().mul_(2);
  EXPECT_TRUE(at::equal(weights[0].variable().value, kernel)) << "masters are not touched before store";
  flat.store();
  EXPECT_TRUE(at::equal(weights[0].variable().value, kernel * 2));
}

TEST(FlatWeights, BackwardAddsIntoTheGradientBuffer) {
  const auto weights = weights_of_two_layers();
  FlatWeights flat(weights);
  flat.load();
  WeightMap map;
  flat.add_to(map);
  const Tensor& kernel = map.at(&weights[0].variable());
  const Tensor& bias = map.at(&weights[3].variable());
  const auto* place = flat.gradients().const_data_ptr();
  for (int step = 0; step < 2; ++step) {
    flat.zero_gradients();
    ((kernel * kernel).sum() + bias.sum() * 3).backward();
    flat.gather_gradients();
    EXPECT_TRUE(at::allclose(flat.view(flat.gradients(), 0), 2 * kernel.detach()));
    EXPECT_TRUE(at::equal(flat.view(flat.gradients(), 3), at::full({3}, 3.0F)));
    EXPECT_EQ(flat.view(flat.gradients(), 1).abs().sum().item<float>(), 0) << "a weight that was not used";
    EXPECT_EQ(flat.gradients().const_data_ptr(), place);
    EXPECT_EQ(kernel.grad().const_data_ptr(), place) << "no gradient was put elsewhere";
  }
}

TEST(FlatWeights, GradientsPutElsewhereAreGathered) {
  const auto weights = weights_of_two_layers();
  FlatWeights flat(weights);
  WeightMap map;
  flat.add_to(map);
  Tensor& kernel = map.at(&weights[0].variable());
  kernel.mutable_grad() = at::full_like(kernel, 7);
  flat.gather_gradients();
  EXPECT_TRUE(at::equal(flat.view(flat.gradients(), 0), at::full({3, 2, 3, 5}, 7.0F)));
  flat.zero_gradients();
  EXPECT_EQ(kernel.grad().const_data_ptr(), flat.gradients().const_data_ptr());
}

TEST(FlatWeights, NoWeightsAtAll) {
  FlatWeights flat({});
  flat.load();
  flat.zero_gradients();
  flat.gather_gradients();
  flat.store();
  EXPECT_EQ(flat.parameters().numel(), 0);
}

}  // namespace
}  // namespace tandem::distribute
