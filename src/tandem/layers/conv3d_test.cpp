#include "tandem/layers/conv3d.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "tandem/core/random.h"
#include "tandem/layers/conv3d_transpose.h"
#include "tandem/layers/input.h"
#include "tandem/layers/keras_case_test.h"

namespace tandem::layers {
namespace {

using namespace tandem::testing;

TEST(Conv3D, MatchesKeras) { EXPECT_EQ(check_cases("conv3d_"), 13); }
TEST(Conv3DTranspose, MatchesKeras) { EXPECT_EQ(check_cases("transposed_conv3d_"), 9); }

TEST(Conv3D, MadeByHandMatchesKeras) {
  expect_matches(Conv3D(4, {1, 3, 2}, {.strides = 2, .padding = "same"}), KerasCase("conv3d_same_s2_k132"));
  expect_matches(Conv3D(3, 2, {.strides = {1, 2, 3}, .padding = "same"}), KerasCase("conv3d_strides_by_axis"));
  expect_matches(Conv3D(4, 2, {.padding = "same", .groups = 2}), KerasCase("conv3d_groups"));
  expect_matches(
      Conv3DTranspose(2, 2,
                      {.strides = {2, 3, 2}, .output_padding = {1, 2, 0}, .activation = "relu", .use_bias = false}),
      KerasCase("transposed_conv3d_output_padding"));
}

// sum(conv(y) * x) = sum(y * transposed(x)) for the convolution with the same kernel. Keras on a CPU cannot tell: it
// has no transposed convolution with dilation there.
TEST(Conv3DTranspose, WithDilationIsTheGradientOfTheConvolution) {
  for (const char* padding : {"valid", "same"}) {
    SCOPED_TRACE(padding);
    const Size3D kernel_size = {2, 1, 3}, dilation = {2, 1, 2};
    Conv3DTranspose transposed(2, kernel_size, {.padding = padding, .dilation_rate = dilation, .use_bias = false});
    Conv3D convolution(3, kernel_size, {.padding = padding, .dilation_rate = dilation, .use_bias = false});
    const Tensor x = RandomStream(1).normal({2, 3, 4, 3, 3}), out = transposed(x);
    const Tensor y = RandomStream(2).normal(Shape::of(out.sizes().vec()));
    convolution->ensure_built({Shape::of(y.sizes().vec())});
    convolution.weights()[0].assign(transposed.weights()[0].value());
    EXPECT_NEAR((convolution(y) * x).sum().item<double>(), (y * out).sum().item<double>(), 1e-4);
  }
}

TEST(Conv3D, NoRowsAndOneRow) {
  for (const LayerHandle& layer :
       std::vector<LayerHandle>{Conv3D(2, 3, {.padding = "same"}), Conv3DTranspose(2, 2, {.padding = "same"})}) {
    for (int64_t rows : {0, 1}) {
      const Tensor x = at::ones({rows, 3, 4, 5, 2}).requires_grad_(true);
      const Tensor out = layer(x);
      EXPECT_EQ(out.sizes(), (std::vector<int64_t>{rows, 3, 4, 5, 2})) << layer->class_name();
      EXPECT_TRUE(out.is_contiguous());
      out.sum().backward();
      EXPECT_EQ(x.grad().sizes(), x.sizes());
    }
  }
}

TEST(Conv3D, ShapesOfAGraph) {
  Conv3D layer(8, {3, 2, 1});
  EXPECT_EQ(layer(Input({10, 9, -1, 4})).shape(), (Shape{-1, 8, 8, -1, 8}));
  EXPECT_EQ(layer.weights()[0].shape(), (Shape{3, 2, 1, 4, 8}));
  EXPECT_TRUE(layer.weights()[0].value().permute({4, 0, 1, 2, 3}).is_contiguous());
  EXPECT_EQ(Conv3DTranspose(8, 3, {.strides = {1, 2, 3}, .padding = "same"})(Input({2, 3, 4, 5})).shape(),
            (Shape{-1, 2, 6, 12, 8}));
}

TEST(Conv3D, RefusesWhatCannotWork) {
  expect_refused([] { Conv3D(4, {3, 3, 0}); }, {"Conv3D", "kernel_size", "0"});
  expect_refused([] { Conv3D(4, 3, {.padding = "causal"}); }, {"Conv3D", "padding", "causal"});
  expect_refused([] { Conv3D(4, 3, {.name = "c"})(Input({8, 8, 3})); }, {"'c'", "rank 5", "depth, height, width"});
  expect_refused([] { Conv3D(4, 3, {.name = "c"})(Input({8, 2, 8, 3})); }, {"'c'", "kernel (3, 3, 3)"});
  expect_refused([] { Conv3DTranspose(4, 3, {.strides = 2, .output_padding = {1, 2, 0}}); }, {"output_padding", "2"});
}

}  // namespace
}  // namespace tandem::layers
