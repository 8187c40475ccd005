// Every layer in 16 bits: near what Keras computed in float32, with weights and their gradients in float32.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tandem/core/mask.h"
#include "tandem/layers/batch_normalization.h"
#include "tandem/layers/catalog.h"
#include "tandem/layers/dense.h"
#include "tandem/layers/keras_case_test.h"
#include "tandem/testing/npy.h"

namespace tandem {
namespace {

using namespace layers;
using testing::KerasCase;

double largest(const Tensor& x) { return x.numel() == 0 ? 0 : x.abs().max().item<double>(); }

// Within `part` of the largest value.
void expect_near(const Tensor& got, const Tensor& want, double part, const std::string& what) {
  ASSERT_EQ(got.sizes(), want.sizes()) << what;
  EXPECT_LE(largest(got.to(at::kFloat) - want), part * std::max(largest(want), 1e-2)) << what;
}

class MixedPolicy : public ::testing::TestWithParam<const char*> {};

TEST_P(MixedPolicy, IsNearFloat32InEveryLayer) {
  const DTypePolicy policy(GetParam());
  const double part = policy == DTypePolicy("mixed_bfloat16") ? 0.04 : 0.006;
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(testing::fixture("keras/layers"))) {
    const KerasCase keras(entry.path().filename());
    SCOPED_TRACE(keras.folder);
    if (largest(keras.load("output")) > 65504) continue;  // more than float16 can say
    const auto layer = layer_from_config(keras.about.at("class").as_string(), keras.about.at("config"));
    layer->set_dtype_policy(policy);
    testing::set_up(layer, keras);
    auto inputs = keras.load_all("x");
    for (auto& x : inputs) x.requires_grad_(true);
    const Tensor output = layer(Tensors(inputs), CallContext{});
    if (layer->lowering() != Lowering::kNone && output.is_floating_point()) {
      EXPECT_EQ(output.scalar_type(), policy.compute_type());
    }
    expect_near(output, keras.load("output"), part, "output");
    (output * keras.load("r")).sum().backward();
    for (const auto& weight : layer->weights()) {
      if (!weight.trainable()) continue;
      const Tensor gradient = weight.value().grad();
      ASSERT_TRUE(gradient.defined()) << weight.name();
      EXPECT_EQ(gradient.scalar_type(), at::kFloat) << weight.name();
      EXPECT_TRUE(gradient.isfinite().all().item<bool>()) << weight.name();
    }
    ++count;
  }
  EXPECT_GE(count, 400);
}

INSTANTIATE_TEST_SUITE_P(Policies, MixedPolicy, ::testing::Values("mixed_bfloat16", "mixed_float16"),
                         [](const auto& about) { return std::string(about.param); });

TEST(MixedPolicy, RoundsInputsAndWeightsOfADense) {
  const Dense dense(1, {.use_bias = false});
  dense->set_dtype_policy("mixed_bfloat16");
  // 1.001953125 = 1 + 2^-9 is 1 in bfloat16, whose steps at 1 are 2^-7.
  dense->ensure_built({{Shape::kUnknown, 1}});
  dense->weights().front().assign(at::full({1, 1}, 1.001953125));
  const Tensor y = dense(at::full({1, 1}, 1.001953125));
  EXPECT_EQ(y.scalar_type(), at::kBFloat16);
  EXPECT_EQ(y.item<float>(), 1);
  EXPECT_EQ(dense->weights().front().value().item<float>(), 1.001953125F);
}

TEST(MixedPolicy, BatchStatisticsAreFloat32) {
  const BatchNormalization norm({.momentum = 0});
  norm->set_dtype_policy("mixed_bfloat16");
  // In bfloat16 the mean of 256 and 257 would be one of the two.
  const Tensor x = at::tensor({256.0F, 257.0F}).view({2, 1});
  CallContext context;
  context.training = true;
  EXPECT_EQ(norm(x, context).scalar_type(), at::kBFloat16);
  EXPECT_EQ(norm->weights()[2].value().item<float>(), 256.5F);
}

TEST(MixedPolicy, MasksStayWithWhatIsCast) {
  const Dense dense(2);
  dense->set_dtype_policy("mixed_bfloat16");
  const Tensor x = at::ones({1, 3, 2}), mask = at::ones({1, 3}, at::kBool);
  set_mask(x, mask);
  EXPECT_TRUE(mask_of(dense(x)).equal(mask));
}

TEST(MixedPolicy, OfItsOwnIsLeftAlone) {
  const LayerHandle own = Dense(1).with_dtype("float32"), other = Dense(1);
  own->default_dtype_policy("mixed_float16");
  other->default_dtype_policy("mixed_float16");
  EXPECT_EQ(own->dtype_policy().name(), "float32");
  EXPECT_EQ(other->dtype_policy().name(), "mixed_float16");
  EXPECT_EQ(own->fresh_copy()->dtype_policy().name(), "float32");
  EXPECT_EQ(other->fresh_copy()->dtype_policy().name(), "mixed_float16");
  const DTypePolicyScope scope("mixed_bfloat16");
  EXPECT_EQ(Dense(1)->dtype_policy().name(), "mixed_bfloat16");
}

}  // namespace
}  // namespace tandem
