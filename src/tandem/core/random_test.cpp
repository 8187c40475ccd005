#include "tandem/core/random.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <ATen/core/PhiloxRNGEngine.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <thread>

#include "tandem/core/error.h"
#include "tandem/core/kept_layer_numbers.h"

namespace tandem {
namespace {

using Filler = void (RandomStream::*)(std::span<float>, uint64_t) const;
constexpr Filler kUniform = &RandomStream::uniform;
constexpr Filler kNormal = &RandomStream::normal;

std::vector<float> take(const RandomStream& stream, Filler filler, std::size_t n, uint64_t first = 0) {
  std::vector<float> out(n);
  (stream.*filler)(out, first);
  return out;
}

double mean(const std::vector<float>& x) { return std::accumulate(x.begin(), x.end(), 0.0) / x.size(); }

// Mean of (x - mean)^power.
double moment(const std::vector<float>& x, int power) {
  const double m = mean(x);
  double sum = 0;
  for (float v : x) sum += std::pow(v - m, power);
  return sum / x.size();
}

double correlation(const std::vector<float>& x, const std::vector<float>& y) {
  const double mx = mean(x), my = mean(y);
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += (x[i] - mx) * (y[i] - my);
  return sum / x.size() / std::sqrt(moment(x, 2) * moment(y, 2));
}

// The published known answers of Philox 4x32-10 for counter 0, key 0 (Random123's kat_vectors), as 24-bit reals.
TEST(RandomStream, AgreesWithThePublishedPhilox) {
  const uint32_t known[] = {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8};
  for (uint64_t i = 0; i < 4; ++i) EXPECT_EQ(RandomStream(0).uniform_at(i), (known[i] >> 8) / 16777216.0F);
}

TEST(RandomStream, ElementIsANumberOfItsBlock) {
  const uint64_t key = 0x123456789abcdef0;
  for (uint64_t i : {uint64_t{0}, uint64_t{5}, uint64_t{1} << 34, (uint64_t{1} << 40) + 3}) {
    at::Philox4_32 engine(key, 0, i / 4);
    uint32_t bits = engine();
    for (uint64_t j = 0; j < i % 4; ++j) bits = engine();
    EXPECT_EQ(RandomStream(key).uniform_at(i), (bits >> 8) / 16777216.0F) << i;
  }
}

TEST(RandomStream, UniformHasTheMomentsOfTheUniform) {
  const std::size_t n = 1'000'000;
  const auto x = take(RandomStream(7), kUniform, n);
  EXPECT_GE(*std::min_element(x.begin(), x.end()), 0.0F);
  EXPECT_LT(*std::max_element(x.begin(), x.end()), 1.0F);
  // Five standard errors: of the mean 1/sqrt(12 n), of the variance sqrt((1/80 - 1/144) / n).
  EXPECT_NEAR(mean(x), 0.5, 5 * std::sqrt(1 / 12.0 / n));
  EXPECT_NEAR(moment(x, 2), 1 / 12.0, 5 * std::sqrt((1 / 80.0 - 1 / 144.0) / n));
  // Each of 16 equal parts gets its share, by chi-square with 15 degrees of freedom (99.9 %: 37.7).
  std::vector<double> counts(16);
  for (float v : x) ++counts[static_cast<std::size_t>(v * 16)];
  double chi_square = 0;
  for (double c : counts) chi_square += (c - n / 16.0) * (c - n / 16.0) / (n / 16.0);
  EXPECT_LT(chi_square, 37.7);
}

TEST(RandomStream, NormalHasTheMomentsOfTheNormal) {
  const double n = 1'000'000;
  const auto x = take(RandomStream(8), kNormal, 1'000'000);
  EXPECT_NEAR(mean(x), 0, 5 / std::sqrt(n));
  EXPECT_NEAR(moment(x, 2), 1, 5 * std::sqrt(2 / n));
  EXPECT_NEAR(moment(x, 3), 0, 5 * std::sqrt(15 / n));
  EXPECT_NEAR(moment(x, 4), 3, 5 * std::sqrt(96 / n));
  EXPECT_TRUE(std::all_of(x.begin(), x.end(), [](float v) { return std::isfinite(v); }));
  // P(|x| > 3) = erfc(3 / sqrt 2).
  const double p = std::erfc(3 / std::sqrt(2.0));
  const double beyond = std::count_if(x.begin(), x.end(), [](float v) { return std::abs(v) > 3; }) / n;
  EXPECT_NEAR(beyond, p, 5 * std::sqrt(p / n));
}

TEST(RandomStream, NormalIsBoxMullerOnPairs) {
  const RandomStream stream(99);
  at::Philox4_32 engine(99, 0, 0);
  const auto x = take(stream, kNormal, 8);
  for (int i = 0; i < 8; i += 2) {
    const double u = (engine() + 1.0) / 4294967296.0, v = engine() / 4294967296.0;
    EXPECT_NEAR(x[i], std::sqrt(-2 * std::log(u)) * std::cos(2 * M_PI * v), 1e-6);
    EXPECT_NEAR(x[i + 1], std::sqrt(-2 * std::log(u)) * std::sin(2 * M_PI * v), 1e-6);
  }
}

TEST(RandomStream, NeighboursAreNotCorrelated) {
  const double bound = 5 / std::sqrt(200'000.0);
  for (const Filler filler : {kUniform, kNormal}) {
    const auto x = take(RandomStream(3), filler, 200'000);
    for (uint64_t lag : {1, 2, 3, 4})
      EXPECT_LT(std::abs(correlation(x, take(RandomStream(3), filler, 200'000, lag))), bound);
  }
}

TEST(RandomStream, TheSameElementWhereverAFillBegins) {
  const RandomStream stream(12345);
  for (const Filler filler : {kUniform, kNormal}) {
    const auto all = take(stream, filler, 64);
    for (std::size_t first = 0; first < 20; ++first) {
      for (std::size_t n = 0; n < 20; ++n) {
        EXPECT_EQ(take(stream, filler, n, first), std::vector<float>(all.begin() + first, all.begin() + first + n));
      }
    }
  }
  for (uint64_t i = 0; i < 64; ++i) EXPECT_EQ(stream.uniform_at(i), take(stream, kUniform, 64)[i]);
  // Across the place where the low half of the block number overflows.
  const uint64_t far = uint64_t{1} << 34;
  EXPECT_EQ(take(stream, kUniform, 16, far - 8)[8], stream.uniform_at(far));
}

TEST(RandomStream, TensorsHoldTheElementsForAnyNumberOfThreads) {
  const RandomStream stream(5);
  const Shape shape{3, 33'337};  // 100,011 elements: several tasks and a rest
  const int before = at::get_num_threads();
  for (int threads : {1, 2, 3, 7}) {
    at::set_num_threads(threads);
    for (uint64_t first : {uint64_t{0}, uint64_t{6}}) {
      const Tensor uniform = stream.uniform(shape, first), normal = stream.normal(shape, first);
      EXPECT_EQ(uniform.sizes(), at::IntArrayRef({3, 33'337}));
      EXPECT_EQ(uniform.scalar_type(), at::kFloat);
      EXPECT_TRUE(at::equal(uniform.flatten(), at::tensor(take(stream, kUniform, 100'011, first)))) << threads;
      EXPECT_TRUE(at::equal(normal.flatten(), at::tensor(take(stream, kNormal, 100'011, first)))) << threads;
    }
  }
  at::set_num_threads(before);
  EXPECT_EQ(stream.uniform(Shape{0, 3}).numel(), 0);
  EXPECT_EQ(stream.uniform(Shape()).item<float>(), stream.uniform_at(0));
  EXPECT_THROW(stream.uniform(Shape{Shape::kUnknown, 3}), InvalidArgument);
}

TEST(RandomStream, FoldIsAFunctionOfItsArguments) {
  const RandomStream root(1);
  EXPECT_EQ(root.fold(3).key(), RandomStream(1).fold(3).key());
  EXPECT_EQ(root.fold("dropout").key(), RandomStream(1).fold(std::string("dropout")).key());
  std::set<uint64_t> keys{root.key()};
  for (uint64_t i = 0; i < 10'000; ++i) keys.insert(root.fold(i).key());
  for (const char* name : {"", "a", "b", "ab", "ba", "dropout", "dropout_1"}) keys.insert(root.fold(name).key());
  keys.insert(RandomStream(2).fold(0).key());
  keys.insert(root.fold(1).fold(2).key());
  keys.insert(root.fold(2).fold(1).key());
  EXPECT_EQ(keys.size(), 1 + 10'000 + 7 + 3U);
}

TEST(RandomStream, FoldedStreamsAreIndependent) {
  const std::size_t n = 200'000;
  const double bound = 5 / std::sqrt(static_cast<double>(n));
  const RandomStream root(0);
  const auto parent = take(root, kUniform, n), zero = take(root.fold(0), kUniform, n);
  const auto one = take(root.fold(1), kUniform, n), name = take(root.fold("x"), kUniform, n);
  const auto next_key = take(RandomStream(1), kUniform, n);
  EXPECT_LT(std::abs(correlation(parent, zero)), bound);
  EXPECT_LT(std::abs(correlation(zero, one)), bound);
  EXPECT_LT(std::abs(correlation(zero, name)), bound);
  EXPECT_LT(std::abs(correlation(parent, next_key)), bound);
  // Down the other way: one element of each of many streams is uniform too.
  std::vector<float> first;
  for (uint64_t i = 0; i < n; ++i) first.push_back(root.fold(i).uniform_at(0));
  EXPECT_NEAR(mean(first), 0.5, 5 * std::sqrt(1 / 12.0 / n));
  EXPECT_LT(std::abs(correlation(first, parent)), bound);
}

TEST(RandomStream, BelowIsEvenOverItsRange) {
  const RandomStream stream(11);
  const int64_t n = 7;
  const int draws = 70'000;
  std::vector<double> counts(n);
  for (int i = 0; i < draws; ++i) {
    const int64_t x = stream.below(n, i);
    ASSERT_GE(x, 0);
    ASSERT_LT(x, n);
    ++counts[x];
  }
  double chi_square = 0;  // 6 degrees of freedom, 99.9 %: 22.5
  for (double c : counts) chi_square += (c - draws / 7.0) * (c - draws / 7.0) / (draws / 7.0);
  EXPECT_LT(chi_square, 22.5);
  EXPECT_EQ(stream.below(1, 3), 0);
  EXPECT_EQ(stream.below(n, 3), stream.below(n, 3));
  // A range of 2^63 - 1 is used to its top: half of the draws lie in its upper half.
  int upper = 0;
  for (int i = 0; i < 1000; ++i) upper += stream.below(INT64_MAX, i) > INT64_MAX / 2;
  EXPECT_NEAR(upper, 500, 5 * std::sqrt(250.0));
  EXPECT_THROW(stream.below(0), InvalidArgument);
  EXPECT_THROW(stream.below(-3), InvalidArgument);
}

TEST(RandomStream, PermutationHoldsEachNumberOnce) {
  for (int64_t n : {0, 1, 2, 3, 100, 10'007}) {
    auto order = RandomStream(4).permutation(n);
    std::sort(order.begin(), order.end());
    std::vector<int64_t> expected(n);
    std::iota(expected.begin(), expected.end(), 0);
    EXPECT_EQ(order, expected);
  }
  EXPECT_THROW(RandomStream(4).permutation(-1), InvalidArgument);
}

TEST(RandomStream, PermutationDependsOnTheKeyAlone) {
  EXPECT_EQ(RandomStream(4).permutation(100), RandomStream(4).permutation(100));
  EXPECT_NE(RandomStream(4).permutation(100), RandomStream(5).permutation(100));
  EXPECT_NE(RandomStream(4).fold(0).permutation(100), RandomStream(4).fold(1).permutation(100));
}

TEST(RandomStream, EveryPermutationIsAsLikely) {
  std::map<std::vector<int64_t>, double> counts;
  const int draws = 24'000;
  for (int i = 0; i < draws; ++i) ++counts[RandomStream(6).fold(i).permutation(4)];
  ASSERT_EQ(counts.size(), 24U);
  double chi_square = 0;  // 23 degrees of freedom, 99.9 %: 49.7
  for (const auto& [order, c] : counts) chi_square += (c - draws / 24.0) * (c - draws / 24.0) / (draws / 24.0);
  EXPECT_LT(chi_square, 49.7);
}

TEST(RandomRoot, IsDrawnOnceAndSetByTheSeed) {
  EXPECT_EQ(random_root().key(), random_root().key());
  set_random_seed(42);
  const auto first = random_root().key();
  set_random_seed(43);
  EXPECT_NE(random_root().key(), first);
  set_random_seed(-1);
  EXPECT_NE(random_root().key(), first);
  set_random_seed(42);
  EXPECT_EQ(random_root().key(), first);
}

TEST(NextLayerNumber, CountsFromTheSeed) {
  set_random_seed(1);
  EXPECT_EQ(next_layer_number(), 0);
  EXPECT_EQ(next_layer_number(), 1);
  set_random_seed(1);
  EXPECT_EQ(next_layer_number(), 0);
}

TEST(NextLayerNumber, GoesOnBehindLayersThatDoNotCount) {
  set_random_seed(1);
  EXPECT_EQ(next_layer_number(), 0);
  {
    const KeptLayerNumbers kept;
    EXPECT_EQ(next_layer_number(), 1);
    EXPECT_EQ(next_layer_number(), 2);
  }
  EXPECT_EQ(next_layer_number(), 1);
}

TEST(NextLayerNumber, ThreadsGetNumbersOfTheirOwn) {
  set_random_seed(1);
  std::vector<std::vector<int64_t>> numbers(4);
  std::vector<std::thread> threads;
  for (auto& mine : numbers) {
    threads.emplace_back([&mine] {
      for (int i = 0; i < 1000; ++i) {
        mine.push_back(next_layer_number());
        random_root();
      }
    });
  }
  for (auto& thread : threads) thread.join();
  std::set<int64_t> all;
  for (const auto& mine : numbers) all.insert(mine.begin(), mine.end());
  EXPECT_EQ(all.size(), 4000U);
  EXPECT_EQ(*all.rbegin(), 3999);
}

}  // namespace
}  // namespace tandem
