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
    Tensors call_many(const Tensors& inputs, const CallContext&) override {
      return {shared(inputs[0]), shared(inputs[1]), shared(inputs[0] + inputs[1])};
    }
  };
  Pair model;
  model.ensure_built({{Shape::kUnknown, 4}, {Shape::kUnknown, 4}});
  EXPECT_EQ(model.output_names().size(), 3U);
  EXPECT_EQ(model.weights().size(), 2U);
}

TEST(SubclassedModel, EachCallOfADropoutHasItsOwnMask) {
  struct Noisy : SubclassedModel {
    layers::Dropout first = track("first", layers::Dropout(0.5)), second = track("second", layers::Dropout(0.5));
    Tensors call_many(const Tensors& x, const CallContext& context) override {
      return {first(x[0]), second(x[0], context), first(x[0])};
    }
  };
  Noisy model;
  model.ensure_built({{Shape::kUnknown, 50}});
  const Tensor ones = at::ones({4, 50});
  const auto masks = [&](int64_t first_row, const Tensor& rows) {
    const CallContext context{.training = true, .random = RandomStream(3), .first_row = first_row};
    const CallScope scope(context);
    return model.call_many(rows, context);
  };
  const auto all = masks(0, ones), tail = masks(2, ones.slice(0, 2, 4));
  EXPECT_FALSE(at::equal(all[0], all[1]));
  EXPECT_FALSE(at::equal(all[0], all[2]));
  for (int64_t i = 0; i < 3; ++i)
    EXPECT_TRUE(at::equal(all[i].slice(0, 2, 4), tail[i])) << "rows must have the same masks on any device";
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
