#include "tandem/network/subclassed.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "tandem/core/error.h"
#include "tandem/layers/dense.h"
#include "tandem/layers/dropout.h"
#include "tandem/testing/message_of.h"

namespace tandem {
namespace {

using layers::Dense;

struct Residual : SubclassedModel {
  Dense hidden = track("hidden", Dense(6, {.activation = "relu"}));
  Dense back = track("back", Dense(4));
  Tensor call(const Tensor& x, const CallContext& context) override { return x + back(hidden(x, context), context); }
};

TEST(SubclassedModel, IsBuiltByADryRun) {
  Residual model;
  EXPECT_FALSE(model.built());
  EXPECT_TRUE(model.weights().empty());
  model.ensure_built({{Shape::kUnknown, 4}});
  EXPECT_EQ(model.count_params(), 30 + 28);
  EXPECT_EQ(model.layers()[0]->name(), "hidden");
  EXPECT_EQ(model.input_shapes(), (Shapes{{Shape::kUnknown, 4}}));
  EXPECT_EQ(model.output_names(), (std::vector<std::string>{"output_1"}));
  EXPECT_EQ(model.output_shapes({{Shape::kUnknown, 4}}), (Shapes{{Shape::kUnknown, 4}}));
  EXPECT_EQ(model.class_name(), "Residual");
}

TEST(SubclassedModel, SeveralInputsAndOutputs) {
  struct Pair : SubclassedModel {
    Dense shared = track("shared", Dense(3));
    Tensors call_many(const Tensors& inputs, const CallContext&) override { return {shared(inputs[0]), shared(inputs[1]), shared(inputs[0] + inputs[1])}; }
  };
  Pair model;
  model.ensure_built({{Shape::kUnknown, 4}, {Shape::kUnknown, 4}});
  EXPECT_EQ(model.output_names().size(), 3U);
  EXPECT_EQ(model.weights().size(), 2U);
}

TEST(SubclassedModel, NamesAreRegisteredOnce) {
  struct Twice : SubclassedModel {
    Twice() {
      track("one", Dense(3));
      track("one", Dense(3));
    }
  };
  EXPECT_EQ(testing::message_of([] { Twice(); }), "track: 'one' must be registered once");
}

TEST(SubclassedModel, LayerThatDoesNotFitIsNamedByTheDryRun) {
  Residual model;
  EXPECT_THROW(model.ensure_built({{Shape::kUnknown, 5}}), std::exception);
  EXPECT_FALSE(model.built());
}

}  // namespace
}  // namespace tandem
