#include "tandem/comm/sum_tree.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tandem/testing/message_of.h"

namespace tandem::comm {
namespace {

using Addends = std::vector<at::Tensor>;

// Addends of very different size, so that each order of adding has bits of its own.
Addends uneven_addends(int64_t ranks, int64_t count) {
  Addends addends;
  for (int64_t r = 0; r < ranks; ++r)
    addends.push_back(at::randn({count}) * std::pow(10.0, static_cast<double>((r * 5) % 7 - 3)));
  return addends;
}

at::Tensor tree_sum(const Addends& addends, Span span) {
  at::Tensor sum = at::zeros_like(addends[0]);
  std::vector<const void*> from;
  for (const auto& a : addends) from.push_back(a.const_data_ptr());
  void* to = sum.mutable_data_ptr();
  sum_along_tree(sum.scalar_type(), from.data(), static_cast<int64_t>(from.size()), &to, 1, span);
  return sum;
}

TEST(SumTree, TheOrderIsTheDocumentedOne) {
  constexpr int64_t kCount = 2500;  // more than two blocks
  const auto x = uneven_addends(8, kCount);
  const auto first = [&](int64_t n) { return Addends(x.begin(), x.begin() + n); };
  EXPECT_TRUE(at::equal(tree_sum(first(1), {0, kCount}), x[0]));
  EXPECT_TRUE(at::equal(tree_sum(first(2), {0, kCount}), x[0] + x[1]));
  EXPECT_TRUE(at::equal(tree_sum(first(3), {0, kCount}), (x[0] + x[1]) + x[2]));
  EXPECT_TRUE(at::equal(tree_sum(first(4), {0, kCount}), (x[0] + x[1]) + (x[2] + x[3])));
  EXPECT_TRUE(at::equal(tree_sum(first(5), {0, kCount}), ((x[0] + x[1]) + x[2]) + (x[3] + x[4])));
  EXPECT_TRUE(at::equal(tree_sum(first(6), {0, kCount}), ((x[0] + x[1]) + x[2]) + ((x[3] + x[4]) + x[5])));
  EXPECT_TRUE(at::equal(tree_sum(first(7), {0, kCount}), ((x[0] + x[1]) + (x[2] + x[3])) + ((x[4] + x[5]) + x[6])));
  EXPECT_TRUE(at::equal(tree_sum(x, {0, kCount}), ((x[0] + x[1]) + (x[2] + x[3])) + ((x[4] + x[5]) + (x[6] + x[7]))));
  EXPECT_FALSE(at::equal(x[0] + x[1] + x[2] + x[3], (x[0] + x[1]) + (x[2] + x[3]))) << "the addends tell orders apart";
}

TEST(SumTree, OnlyTheSpanIsWrittenAndCutsChangeNoBits) {
  const auto x = uneven_addends(5, 3000);
  const at::Tensor whole = tree_sum(x, {0, 3000});
  for (const Span span : {Span{0, 1}, Span{7, 1031}, Span{1024, 2048}, Span{2999, 3000}, Span{5, 5}}) {
    at::Tensor want = at::zeros({3000});
    want.slice(0, span.begin, span.end).copy_(whole.slice(0, span.begin, span.end));
    EXPECT_TRUE(at::equal(tree_sum(x, span), want)) << span.begin << " to " << span.end;
  }
}

TEST(SumTree, ResultsMayBeAnyOfTheAddends) {
  for (int64_t ranks = 1; ranks <= 8; ++ranks) {
    const auto x = uneven_addends(ranks, 1500);
    const at::Tensor want = tree_sum(x, {0, 1500});
    for (int64_t mask = 1; mask < (1 << ranks); ++mask) {
      Addends copies;
      std::vector<const void*> from;
      std::vector<void*> to;
      for (const auto& a : x) copies.push_back(a.clone());
      for (int64_t r = 0; r < ranks; ++r) {
        from.push_back(copies[static_cast<std::size_t>(r)].const_data_ptr());
        if (mask >> r & 1) to.push_back(copies[static_cast<std::size_t>(r)].mutable_data_ptr());
      }
      sum_along_tree(at::kFloat, from.data(), ranks, to.data(), static_cast<int64_t>(to.size()), {0, 1500});
      for (int64_t r = 0; r < ranks; ++r) {
        const auto i = static_cast<std::size_t>(r);
        ASSERT_TRUE(at::equal(copies[i], mask >> r & 1 ? want : x[i])) << ranks << " ranks, results " << mask;
      }
    }
  }
}

TEST(SumTree, ShortTypesAreRoundedAfterEachAddition) {
  // In bfloat16 (8 bits) 256 + 1 is 256, in half (11 bits) 2048 + 1 is 2048; 1 + 1 is kept by both.
  for (const auto& [type, large] : {std::pair(at::kBFloat16, 256.0), std::pair(at::kHalf, 2048.0)}) {
    const auto value = [type = type](double v) { return at::full({70}, v, type); };
    EXPECT_TRUE(at::equal(tree_sum({value(large), value(1), value(1)}, {0, 70}), value(large)));
    EXPECT_TRUE(at::equal(tree_sum({value(large), value(0), value(1), value(1)}, {0, 70}), value(large + 2)));
  }
}

TEST(SumTree, NobodyMayWantTheSum) {
  const auto x = uneven_addends(2, 10);
  const void* from[] = {x[0].const_data_ptr(), x[1].const_data_ptr()};
  const at::Tensor before = x[0].clone();
  sum_along_tree(at::kFloat, from, 2, nullptr, 0, {0, 10});
  EXPECT_TRUE(at::equal(x[0], before));
}

TEST(SumTree, TypesThatDoNotAddUp) {
  for (const auto type : {at::kBool, at::kComplexFloat, at::kComplexDouble, at::kQInt8, at::kFloat8_e5m2}) {
    EXPECT_NE(testing::message_of([&] { check_adds_up(type, "all_reduce"); }).find("all_reduce: must get numbers that"),
              std::string::npos)
        << type;
  }
}

}  // namespace
}  // namespace tandem::comm
