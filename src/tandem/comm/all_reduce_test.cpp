// All-reduce among the threads of one process: every algorithm, type, size and number of ranks.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>
#include <thread>

#include "tandem/comm/local_group.h"
#include "tandem/core/error.h"
#include "tandem/testing/run_ranks.h"

namespace tandem::comm {
namespace {

using testing::run_ranks;

constexpr Algorithm kAllAlgorithms[] = {Algorithm::automatic, Algorithm::direct, Algorithm::ring, Algorithm::tree};

// What rank r brings: whole numbers small enough that every type adds them up exactly.
Tensor brought(int64_t rank, int64_t count, at::ScalarType type) {
  return at::arange(count, at::kLong).add(rank).remainder(5).to(type);
}

// The sum of what n ranks bring, by formula.
Tensor brought_sum(int64_t n, int64_t count) {
  Tensor sum = at::zeros({count}, at::kLong);
  for (int64_t r = 0; r < n; ++r) sum += at::arange(count, at::kLong).add(r).remainder(5);
  return sum;
}

TEST(AllReduce, IsExactForEveryTypeSizeAndNumberOfRanks) {
  for (int64_t n = 1; n <= 8; ++n) {
    run_ranks(n, [&](Communicator& communicator) {
      for (const auto type :
           {at::kByte, at::kChar, at::kShort, at::kInt, at::kLong, at::kHalf, at::kBFloat16, at::kFloat, at::kDouble}) {
        for (const int64_t count : {0, 1, 7, 64, 65, 1001, 5000}) {
          const Tensor want = brought_sum(n, count);
          for (const auto algorithm : kAllAlgorithms) {
            Tensor mine = brought(communicator.rank(), count, type);
            communicator.all_reduce(mine, {.algorithm = algorithm});
            if (!at::equal(mine.to(at::kLong), want))
              throw InternalError(c10::str(type, " on ", n, " ranks, ", count, " elements by ", name_of(algorithm)));
          }
        }
      }
    });
  }
}

TEST(AllReduce, LargeTensorsAreAddedUpInManyChunks) {
  constexpr int64_t kCount = 1'300'003;
  for (const int64_t n : {2, 3, 4}) {
    const Tensor want = brought_sum(n, kCount);
    run_ranks(n, [&](Communicator& communicator) {
      for (const auto algorithm : kAllAlgorithms) {
        Tensor mine = brought(communicator.rank(), kCount, at::kFloat);
        communicator.all_reduce(mine, {.algorithm = algorithm});
        if (!at::equal(mine.to(at::kLong), want)) throw InternalError(c10::str(n, " ranks by ", name_of(algorithm)));
      }
    });
  }
}

// Every rank's result of an all-reduce of `inputs`.
std::vector<Tensor> reduced(const std::vector<Tensor>& inputs, Algorithm algorithm) {
  std::vector<Tensor> results(inputs.size());
  run_ranks(static_cast<int64_t>(inputs.size()), [&](Communicator& communicator) {
    const auto r = static_cast<std::size_t>(communicator.rank());
    results[r] = inputs[r].clone();
    communicator.all_reduce(results[r], {.algorithm = algorithm});
  });
  return results;
}

std::vector<Tensor> random_inputs(int64_t n, int64_t count) {
  std::vector<Tensor> inputs;
  for (int64_t r = 0; r < n; ++r) inputs.push_back(at::randn({count}) * std::pow(10.0, static_cast<double>(r % 5)));
  return inputs;
}

TEST(AllReduce, EveryRankGetsTheSameBitsCloseToTheTrueSum) {
  for (int64_t n = 2; n <= 8; ++n) {
    for (const int64_t count : {900, 12345}) {
      const auto inputs = random_inputs(n, count);
      Tensor truth = at::zeros({count}, at::kDouble), size = at::zeros({count}, at::kDouble);
      for (const auto& input : inputs) {
        truth += input.to(at::kDouble);
        size += input.to(at::kDouble).abs();
      }
      for (const auto algorithm : kAllAlgorithms) {
        const auto results = reduced(inputs, algorithm);
        for (const auto& result : results) EXPECT_TRUE(at::equal(result, results[0])) << n << name_of(algorithm);
        // Each of n - 1 additions rounds by half a unit in the last place, 2^-24 of its result.
        const Tensor bound = size * (static_cast<double>(n - 1) * std::pow(2.0, -24));
        EXPECT_TRUE(((results[0].to(at::kDouble) - truth).abs() <= bound).all().item<bool>())
            << n << name_of(algorithm);
      }
    }
  }
}

TEST(AllReduce, DirectAddsAlongTheDocumentedTreeWhateverTheSize) {
  for (const int64_t count : {1, 1000, 1024, 1025, 40000}) {  // staged up to 1024, then in slices
    const auto x = random_inputs(7, count);
    const Tensor want = ((x[0] + x[1]) + (x[2] + x[3])) + ((x[4] + x[5]) + x[6]);
    for (const auto algorithm : {Algorithm::direct, Algorithm::automatic}) {
      for (const auto& result : reduced(x, algorithm)) EXPECT_TRUE(at::equal(result, want)) << count;
    }
    const Tensor want3 = (x[0] + x[1]) + x[2];
    for (const auto& result : reduced({x[0], x[1], x[2]}, Algorithm::direct)) EXPECT_TRUE(at::equal(result, want3));
  }
}

TEST(AllReduce, DirectAndTreeAreEqualToTheBitForPowersOfTwo) {
  for (const int64_t n : {1, 2, 4, 8}) {
    for (const int64_t count : {333, 20011}) {
      const auto inputs = random_inputs(n, count);
      EXPECT_TRUE(at::equal(reduced(inputs, Algorithm::direct)[0], reduced(inputs, Algorithm::tree)[0])) << n;
    }
  }
}

TEST(AllReduce, StridesAndOffsetsOfViewsAreKept) {
  for (const auto algorithm : kAllAlgorithms) {
    run_ranks(3, [&](Communicator& communicator) {
      const auto value = static_cast<float>(communicator.rank() + 1);
      Tensor kernel = at::full({2, 3, 4, 5}, value).permute({3, 0, 1, 2});
      const auto strides = kernel.strides().vec();
      communicator.all_reduce(kernel, {.algorithm = algorithm});
      if (!at::equal(kernel, at::full({5, 2, 3, 4}, 6.0F)) || kernel.strides() != strides)
        throw InternalError("a permuted tensor was not added up");
      Tensor buffer = at::full({9000}, value), part = buffer.narrow(0, 1003, 2001);
      communicator.all_reduce(part, {.algorithm = algorithm});
      Tensor want = at::full({9000}, value);
      want.narrow(0, 1003, 2001).fill_(6.0F);
      if (!at::equal(buffer, want)) throw InternalError("a view with an offset was not added up, or more than it");
      Tensor scalar = at::full({}, value);
      communicator.all_reduce(scalar, {.algorithm = algorithm});
      if (scalar.item<float>() != 6.0F) throw InternalError("a scalar was not added up");
    });
  }
}

TEST(AllReduce, ARankThatWantsNoResultBringsItsAddends) {
  for (const auto algorithm : kAllAlgorithms) {
    for (int64_t n = 2; n <= 7; ++n) {
      for (const int64_t count : {10, 4000}) {
        const Tensor want = brought_sum(n, count);
        run_ranks(n, [&](Communicator& communicator) {
          const bool wants = communicator.rank() % 3 == 1;
          Tensor mine = brought(communicator.rank(), count, at::kFloat);
          communicator.all_reduce(mine, {.algorithm = algorithm, .wants_result = wants});
          if (wants && !at::equal(mine.to(at::kLong), want)) throw InternalError(name_of(algorithm));
          if (!wants && (algorithm == Algorithm::direct || algorithm == Algorithm::automatic) &&
              !at::equal(mine, brought(communicator.rank(), count, at::kFloat)))
            throw InternalError("direct wrote to a rank that wants no result");
        });
      }
    }
  }
}

}  // namespace
}  // namespace tandem::comm
