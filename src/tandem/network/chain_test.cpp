#include "tandem/network/chain.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "tandem/core/error.h"
#include "tandem/core/random.h"
#include "tandem/layers/dense.h"
#include "tandem/layers/flatten.h"
#include "tandem/layers/input.h"
#include "tandem/testing/message_of.h"

namespace tandem {
namespace {

using layers::Dense;
using layers::Input;
using testing::message_of;

TEST(Chain, WithAnInputIsBuiltAsLayersAreAdded) {
  Chain chain;
  EXPECT_TRUE(chain.input_shapes().empty());
  chain.add(Input({6}));
  chain.add(Dense(4));
  EXPECT_TRUE(chain.built());
  EXPECT_EQ(chain.count_params(), 28);
  chain.add(Dense(2));
  EXPECT_EQ(chain.count_params(), 38);
  EXPECT_EQ(chain.layers().size(), 2U) << "the Input is not listed";
  EXPECT_EQ(chain.input_shapes(), (Shapes{{Shape::kUnknown, 6}}));
  EXPECT_EQ(chain.output_shapes({{5, 6}}), (Shapes{{5, 2}}));
  EXPECT_EQ(chain.output_names(), (std::vector<std::string>{chain.layers()[1]->name()}));
}

TEST(Chain, WithoutAnInputIsBuiltByTheFirstShape) {
  Chain chain;
  chain.add(layers::Flatten());
  chain.add(Dense(3));
  EXPECT_FALSE(chain.built());
  EXPECT_TRUE(chain.weights().empty());
  EXPECT_NE(message_of([&] { chain.call_many(at::ones({2, 2, 2}), {}); }).find("input shape"), std::string::npos);
  chain.ensure_built({{Shape::kUnknown, 2, 2}});
  EXPECT_EQ(chain.count_params(), 15);
  EXPECT_EQ(chain.call_many(at::ones({5, 2, 2}), {}).front().sizes(), (std::vector<int64_t>{5, 3}));
  chain.add(Dense(1));
  EXPECT_EQ(chain.call_many(at::ones({5, 2, 2}), {}).front().sizes(), (std::vector<int64_t>{5, 1}));
}

TEST(Chain, WeightsDoNotDependOnWhenTheInputIsKnown) {
  const auto weights = [](bool input_first) {
    set_random_seed(4);
    const Dense first(3), second(2);
    Chain chain;
    if (input_first) chain.add(Input({4}));
    chain.add(first);
    chain.add(second);
    chain.ensure_built({{Shape::kUnknown, 4}});
    return chain.get_weights();
  };
  const auto a = weights(true), b = weights(false);
  EXPECT_TRUE(at::equal(a[0], b[0]));
  EXPECT_TRUE(at::equal(a[2], b[2]));
}

TEST(Chain, NamesCountInTheOrderOfAdding) {
  clear_session();
  Chain chain;
  chain.add(Dense(1));
  chain.add(Dense(1));
  EXPECT_EQ(chain.layers()[0]->name(), "dense");
  EXPECT_EQ(chain.layers()[1]->name(), "dense_1");
}

TEST(Chain, SaysWhatCannotBeAdded) {
  Chain chain;
  chain.set_name("line");
  const auto input = Input({4});
  chain.add(input);
  EXPECT_EQ(message_of([&] { chain.add(input); }), "Sequential 'line': Input must come first and once");
  chain.add(Dense(2, {.name = "twin"}));
  EXPECT_EQ(message_of([&] { chain.add(Dense(2, {.name = "twin"})); }),
            "Sequential 'line': the name 'twin' is used by more than one layer; names must be unique");
  EXPECT_EQ(chain.layers().size(), 1U);
  Chain other;
  other.set_name("other");
  EXPECT_EQ(message_of([&] { other.add(Dense(1)(input)); }),
            "Sequential 'other': must get layers and an Input, got a layer's output");
  EXPECT_EQ(message_of([&] {
              other.ensure_built({{Shape::kUnknown, 4}});
            }),
            "Sequential 'other': must have at least one layer");
}

TEST(Chain, LayerThatDoesNotFitLeavesItAsItWas) {
  Chain chain;
  chain.set_name("line");
  chain.add(Input({4}));
  chain.add(layers::Flatten());
  struct NeverLayer : Layer {
    void build(const Shape& input) override { throw_shape_error(*this, "input must be another", input); }
  };
  EXPECT_NE(message_of([&] { chain.add(make_layer<NeverLayer>()); }).find("(None, 4)"), std::string::npos);
  EXPECT_EQ(chain.layers().size(), 1U);
  chain.add(Dense(2));
  EXPECT_EQ(chain.call_many(at::ones({3, 4}), {}).front().sizes(), (std::vector<int64_t>{3, 2}));
}

TEST(Chain, WrongInputNamesTheModel) {
  Chain chain;
  chain.set_name("line");
  chain.add(Input({4}, {.name = "rows"}));
  chain.add(Dense(2));
  EXPECT_EQ(message_of([&] {
              chain.call_many(at::ones({3, 5}), {});
            }),
            "model 'line': input 'rows' must have shape (None, 4), got (3, 5)");
}

}  // namespace
}  // namespace tandem
