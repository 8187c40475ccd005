#include "tandem/layers/input.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "tandem/core/error.h"
#include "tandem/layers/layer.h"
#include "tandem/testing/message_of.h"

namespace tandem {
namespace {

using layers::Input;
using testing::message_of;

TEST(Input, ConvertsToItsType) {
  const auto out = [](const std::string& dtype, const Tensor& x) {
    return Input({2}, {.dtype = dtype}).node()->layer->call(x, {}).scalar_type();
  };
  EXPECT_EQ(out("float32", at::ones({1, 2}, at::kLong)), at::kFloat);
  EXPECT_EQ(out("float32", at::ones({1, 2}, at::kDouble)), at::kFloat);
  EXPECT_EQ(out("float32", at::ones({1, 2}, at::kBFloat16)), at::kBFloat16);
  EXPECT_EQ(out("int32", at::ones({1, 2})), at::kInt);
  EXPECT_EQ(out("int64", at::ones({1, 2}, at::kInt)), at::kLong);
  EXPECT_EQ(message_of([] { Input({2}, {.dtype = "float16"}); }),
            "Input: dtype must be float32, int32 or int64, got float16");
}

TEST(Input, KeepsItsConfig) {
  const Config config = Config::from_json(
      R"({"batch_shape":[null,null,3],"dtype":"int32","sparse":false,"ragged":false,"optional":false})");
  const auto input = layers::input_from_config(config);
  EXPECT_EQ(input.shape(), (Shape{Shape::kUnknown, Shape::kUnknown, 3}));
  EXPECT_EQ(input.node()->layer->get_config().to_json(), config.to_json());
  const auto old = layers::input_from_config(Config::from_json(R"({"batch_input_shape":[4,3],"name":"x"})"));
  EXPECT_EQ(old.shape(), (Shape{4, 3}));
  EXPECT_EQ(old.node()->layer->name(), "x");
}

TEST(Input, RefusesConfigsThatItCannotKeep) {
  const auto error = [](const char* text) {
    return message_of<Error>([&] { layers::input_from_config(Config::from_json(text)); });
  };
  EXPECT_EQ(error(R"({"batch_shape":[null,2],"ragged":true})"),
            "InputLayer: ragged is not supported and must be null, got true");
  EXPECT_EQ(error(R"({"batch_shape":[null,0]})"),
            "config: a shape must be a list of positive whole numbers and nulls, got [null,0]");
  EXPECT_EQ(error(R"({"batch_shape":[]})"), "InputLayer: batch_shape must have a batch axis, got []");
  EXPECT_EQ(error(R"({"name":"x"})").find("config: member 'batch_input_shape' is missing"), 0U);
}

}  // namespace
}  // namespace tandem
