#include "tandem/layers/identity.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "tandem/layers/catalog.h"
#include "tandem/layers/input.h"
#include "tandem/layers/keras_case_test.h"

namespace tandem::layers {
namespace {

using namespace tandem::testing;

TEST(Identity, MatchesKeras) { EXPECT_EQ(check_cases("identity"), 1); }

TEST(Identity, ReturnsWhatItGets) {
  const Tensor a = at::ones({2, 3}), b = at::ones({2, 4});
  EXPECT_EQ(Identity()(a).data_ptr(), a.data_ptr());
  EXPECT_EQ(Identity().call_many({a, b}, CallContext{}).size(), 2);
  EXPECT_EQ(Identity()(Input({3, -1})).shape(), (Shape{-1, 3, -1}));
}

// A penalty on what a layer returns would be lost without a word.
TEST(LayerConfig, AnActivityRegularizerThatIsNotKeptIsRefused) {
  const auto config = Config::from_json(R"({"activity_regularizer": "l2", "target_shape": [2], "dims": [1], "scale": 1,
    "height": 2, "width": 2, "input_dim": 2, "output_dim": 2})");
  for (const char* name : {"Add",
                           "Average",
                           "Concatenate",
                           "Cropping2D",
                           "Embedding",
                           "GlobalAveragePooling2D",
                           "GlobalMaxPooling2D",
                           "Identity",
                           "LayerNormalization",
                           "LeakyReLU",
                           "Maximum",
                           "Minimum",
                           "Multiply",
                           "Permute",
                           "ReLU",
                           "Rescaling",
                           "Reshape",
                           "Resizing",
                           "Softmax",
                           "Subtract",
                           "UpSampling2D",
                           "ZeroPadding2D"}) {
    expect_refused([&] { layer_from_config(name, config); }, {name, "activity_regularizer", "l2"});
  }
}

}  // namespace
}  // namespace tandem::layers
