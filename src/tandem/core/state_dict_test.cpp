#include "tandem/core/state_dict.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "tandem/core/error.h"

namespace tandem {
namespace {

std::vector<std::string> names_in(const StateDict& state) {
  std::vector<std::string> names;
  for (const auto& [name, value] : state) names.push_back(name);
  return names;
}

template <class Call>
std::string state_error(const Call& call) {
  try {
    call();
  } catch (const DataError& error) {
    return error.what();
  }
  return "no DataError";
}

TEST(StateDict, HoldsEachKind) {
  StateDict state;
  const Tensor kernel = at::ones({2, 2});
  state.set("kernel", kernel);
  state.set("step", int64_t{3});
  state.set("rate", 0.5);
  state.set("name", "sgd");
  EXPECT_TRUE(state.tensor("kernel").is_same(kernel));
  EXPECT_EQ(state.integer("step"), 3);
  EXPECT_EQ(state.number("rate"), 0.5);
  EXPECT_EQ(state.text("name"), "sgd");
  EXPECT_EQ(state.size(), 4U);
  EXPECT_TRUE(state.contains("rate"));
  EXPECT_FALSE(state.contains("rat"));
}

TEST(StateDict, ReplacesInPlaceAlsoByAnotherKind) {
  StateDict state;
  state.set("a", int64_t{1});
  state.set("b", int64_t{2});
  state.set("a", "text");
  EXPECT_EQ(names_in(state), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(state.text("a"), "text");
}

TEST(StateDict, NamesTheEntryThatDoesNotFit) {
  StateDict state;
  state.set("step", int64_t{1});
  EXPECT_EQ(state_error([&] { state.number("step"); }),
            "state: entry 'step' must be a real number, it is a whole number");
  EXPECT_EQ(state_error([&] { state.tensor("step"); }), "state: entry 'step' must be a tensor, it is a whole number");
  EXPECT_EQ(state_error([&] { state.text("step"); }), "state: entry 'step' must be a text, it is a whole number");
  EXPECT_EQ(state_error([&] { state.integer("stop"); }), "state: entry 'stop' must be there, it is missing");
}

TEST(StateDict, SectionUndoesInsert) {
  StateDict inner;
  inner.set("momentum/0", at::zeros({1}));
  inner.set("step", int64_t{7});
  StateDict outer;
  outer.set("optimizers", int64_t{1});  // begins like the prefix but is not below it
  outer.insert("optimizer", inner);
  outer.insert("deep/er", inner);
  EXPECT_EQ(names_in(outer), (std::vector<std::string>{"optimizers", "optimizer/momentum/0", "optimizer/step",
                                                       "deep/er/momentum/0", "deep/er/step"}));
  EXPECT_EQ(names_in(outer.section("optimizer")), names_in(inner));
  EXPECT_EQ(outer.section("deep/er").integer("step"), 7);
  EXPECT_EQ(names_in(outer.section("deep").section("er")), names_in(inner));
  EXPECT_EQ(outer.section("none").size(), 0U);
}

TEST(StateDict, InsertReplacesAndTakesItself) {
  StateDict state;
  state.set("a", int64_t{1});
  state.insert("x", state);
  EXPECT_EQ(names_in(state), (std::vector<std::string>{"a", "x/a"}));
  StateDict other;
  other.set("a", int64_t{2});
  state.insert("x", other);
  EXPECT_EQ(state.integer("x/a"), 2);
  EXPECT_EQ(state.size(), 2U);
}

}  // namespace
}  // namespace tandem
