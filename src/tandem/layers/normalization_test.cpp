#include "tandem/layers/normalization.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "tandem/core/error.h"
#include "tandem/core/random.h"
#include "tandem/layers/catalog.h"
#include "tandem/layers/input.h"
#include "tandem/layers/keras_case_test.h"
#include "tandem/layers/rms_normalization.h"
#include "tandem/layers/unit_normalization.h"
#include "tandem/testing/message_of.h"

namespace tandem::layers {
namespace {

using namespace tandem::testing;

TEST(Normalization, MatchesKeras) { EXPECT_EQ(check_cases("normalization_"), 5); }
TEST(UnitNormalization, MatchesKeras) { EXPECT_EQ(check_cases("unit_norm_"), 4); }
TEST(RMSNormalization, MatchesKeras) { EXPECT_EQ(check_cases("rms_norm_"), 4); }

TEST(Normalization, MadeByHandMatchesKeras) {
  const Tensor mean = at::tensor({0.5F, -0.25F}), variance = at::tensor({1.5F, 0.25F});
  expect_matches(Normalization({.mean = mean, .variance = variance}), KerasCase("normalization_vectors"));
  expect_matches(Normalization({.mean = mean, .variance = variance, .invert = true}),
                 KerasCase("normalization_invert"));
  expect_matches(UnitNormalization({.axis = {1, 2}}), KerasCase("unit_norm_list"));
  expect_matches(RMSNormalization({.axis = {1, 2}}), KerasCase("rms_norm_axes"));
}

// keras.layers.Normalization.adapt: numpy's mean and variance over all other axes.
TEST(Normalization, AdaptTakesMeanAndVarianceOfTheData) {
  const Tensor data = RandomStream(1).normal({50, 4, 3}) * 2 + 5;
  const Normalization layer;
  layer.adapt(data);
  EXPECT_TRUE(at::allclose(layer.weights()[0].value(), data.mean({0, 1}), 1e-5, 1e-5));
  EXPECT_TRUE(at::allclose(layer.weights()[1].value(), data.var({0, 1}, false), 1e-5, 1e-5));
  EXPECT_TRUE(layer->trainable_weights().empty());
  const Tensor out = layer(data);
  EXPECT_TRUE(at::allclose(out.mean({0, 1}), at::zeros({3}), 0, 1e-5));
  EXPECT_TRUE(at::allclose(out.std({0, 1}, false), at::ones({3}), 1e-5, 0));
  const Normalization all({.axis = Axes(std::vector<int64_t>())});
  all.adapt(data);
  EXPECT_EQ(all.weights()[0].shape(), Shape());
  EXPECT_NEAR(all(data).std(false).item<double>(), 1, 1e-5);
}

TEST(Normalization, TakesBytes) {
  const Normalization layer(
      {.axis = Axes(std::vector<int64_t>()), .mean = at::scalar_tensor(100), .variance = at::scalar_tensor(25)});
  const Tensor out = layer(at::full({2, 2}, 110, at::kByte));
  EXPECT_EQ(out.scalar_type(), at::kFloat);
  EXPECT_TRUE(at::equal(out, at::full({2, 2}, 2.F)));
}

TEST(Normalization, RefusesWhatCannotWork) {
  expect_refused([] { Normalization({.mean = at::ones({2})}); }, {"Normalization", "both", "variance"});
  expect_refused([] { Normalization({.mean = at::ones({2}), .variance = at::ones({3})}); },
                 {"one shape", "(2,)", "(3,)"});
  const NormalizationOptions given{.mean = at::ones({2}), .variance = at::ones({2}), .name = "n"};
  expect_refused([&] { Normalization{given}(Input({3})); }, {"'n'", "(2,)", "(None, 3)"});
  expect_refused([&] { Normalization{given}.adapt(at::ones({2, 2})); }, {"adapt", "given"});
  expect_refused([] { Normalization().adapt(at::ones({0, 2})); }, {"adapt", "rows", "(0, 2)"});
  expect_refused([] { Normalization({.axis = 3, .name = "n"})(Input({3})); }, {"'n'", "axis 3"});
  const Normalization built({.name = "n"});
  built(Input({3}));
  expect_refused([&] { built(at::ones({2, 4})); }, {"'n'", "(1, 3)", "(2, 4)"});
  EXPECT_NE(message_of<DataError>([] {
              layer_from_config("Normalization", Config::from_json(R"({"mean": [[1], [1, 2]], "variance": [1]})"));
            }).find("one length"),
            std::string::npos);
}

TEST(UnitNormalization, ZerosStayZerosAndTheirGradientIsANumber) {
  const Tensor x = at::zeros({2, 3}).requires_grad_(true);
  const Tensor out = UnitNormalization()(x);
  EXPECT_TRUE(at::equal(out, at::zeros({2, 3})));
  out.sum().backward();
  EXPECT_TRUE(at::isfinite(x.grad()).all().item<bool>());
  expect_refused([] { UnitNormalization({.axis = 0, .name = "u"})(Input({3})); }, {"'u'", "axis 0", "batch"});
}

TEST(RMSNormalization, RefusesWhatCannotWork) {
  expect_refused([] { RMSNormalization({.epsilon = -1}); }, {"RMSNormalization", "epsilon", "-1"});
  expect_refused([] { RMSNormalization({.axis = 1, .name = "r"})(Input({3, 4})); }, {"'r'", "last axes", "[1]"});
  expect_refused([] { RMSNormalization({.name = "r"})(Input({3, -1})); }, {"'r'", "known", "(None, 3, None)"});
  RMSNormalization built({.name = "r"});
  built(Input({-1, 4}));
  expect_refused([&] { built(at::ones({2, 3, 5})); }, {"'r'", "(4,)", "(2, 3, 5)"});
}

}  // namespace
}  // namespace tandem::layers
