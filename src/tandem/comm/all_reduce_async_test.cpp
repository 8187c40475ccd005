// All-reduces that were started and go on while the rank does something else.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <random>
#include <thread>

#include "tandem/comm/local_group.h"
#include "tandem/core/error.h"
#include "tandem/testing/message_of.h"
#include "tandem/testing/run_ranks.h"

namespace tandem::comm {
namespace {

using testing::message_of;
using testing::run_ranks;

void expect_filled(const Tensor& tensor, double value, const char* what) {
  if (!at::equal(tensor, at::full(tensor.sizes(), value, tensor.scalar_type())))
    throw InternalError(c10::str(what, ": not everywhere ", value));
}

TEST(AllReduceAsync, TimesAreInTheirOrderAndTheSumIsThere) {
  run_ranks(3, [](Communicator& communicator) {
    for (const int64_t count : {5, 100'000}) {
      Tensor x = at::ones({count});
      Pending pending = communicator.all_reduce_async(x);
      if (!pending.active()) throw InternalError("not active after its start");
      const ReduceTimes times = pending.wait();
      if (pending.active()) throw InternalError("active after wait");
      expect_filled(x, 3, "sum");
      if (!(0 < times.started && times.started <= times.all_here && times.all_here <= times.finished))
        throw InternalError("times are not in their order");
      if (pending.wait().finished != 0 || !pending.advance()) throw InternalError("there was nothing left to wait for");
    }
  });
}

TEST(AllReduceAsync, AllHereIsWhenTheLastCame) {
  std::vector<ReduceTimes> times(2);
  std::promise<void> first_is_here;
  run_ranks(2, [&](Communicator& communicator) {
    Tensor x = at::ones({100});
    if (communicator.rank() == 1) first_is_here.get_future().wait();
    auto pending = communicator.all_reduce_async(x);
    if (communicator.rank() == 0) first_is_here.set_value();
    times[static_cast<std::size_t>(communicator.rank())] = pending.wait();
  });
  EXPECT_EQ(times[0].all_here, times[1].all_here);
  EXPECT_EQ(times[1].all_here, times[1].started);
  EXPECT_GT(times[0].all_here, times[0].started);
}

TEST(AllReduceAsync, ManyInFlightWithDelaysMixedWithOtherCalls) {
  constexpr int64_t kOperations = 40;
  for (int64_t n = 1; n <= 8; n += n < 4 ? 1 : 2) {
    run_ranks(n, [n](Communicator& communicator) {
      std::mt19937 random(static_cast<unsigned>(communicator.rank()));  // each rank has delays of its own
      const auto dawdle = [&] {
        if (random() % 4 == 0) std::this_thread::sleep_for(std::chrono::microseconds(random() % 300));
      };
      for (int round = 0; round < 3; ++round) {
        std::vector<Tensor> tensors;
        std::vector<Pending> pending;
        for (int64_t i = 0; i < kOperations; ++i)
          tensors.push_back(at::full({(i * 397) % 5000}, static_cast<double>(i), at::kDouble));
        for (int64_t i = 0; i < kOperations; ++i) {
          dawdle();
          const auto algorithm = static_cast<Algorithm>(i % 4);
          pending.push_back(communicator.all_reduce_async(tensors[static_cast<std::size_t>(i)],
                                                          {.algorithm = algorithm, .what = "one of many"}));
          if (i % 7 == 3) communicator.barrier();
          if (i % 11 == 5) {
            Tensor own = at::full({i * 150}, 1.0, at::kDouble);
            communicator.all_reduce(own, {.algorithm = algorithm});
            expect_filled(own, static_cast<double>(n), "a call in between");
          }
          if (i % 9 == 4) pending[static_cast<std::size_t>(random() % pending.size())].advance();
        }
        // Every rank waits in an order of its own.
        std::vector<std::size_t> order(kOperations);
        for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
        std::shuffle(order.begin(), order.end(), random);
        for (const auto i : order) {
          dawdle();
          pending[i].wait();
          expect_filled(tensors[i], static_cast<double>(i) * static_cast<double>(n), "an operation in flight");
        }
      }
    });
  }
}

TEST(AllReduceAsync, MoreThanThereAreSlotsFor) {
  run_ranks(3, [](Communicator& communicator) {
    std::vector<Tensor> tensors;
    std::vector<Pending> pending;
    for (int64_t i = 0; i < 300; ++i) tensors.push_back(at::full({1 + i * 11}, static_cast<float>(i)));
    for (auto& tensor : tensors) pending.push_back(communicator.all_reduce_async(tensor));
    for (std::size_t i = 0; i < pending.size(); ++i) {
      const auto times = pending[i].wait();
      if (times.finished < times.started) throw InternalError("times were lost");
      expect_filled(tensors[i], 3.0 * static_cast<double>(i), "one of 300");
    }
  });
}

TEST(AllReduceAsync, ARankThatWaitsDoesTheWorkOfOneThatComputes) {
  // Rank 1 starts and then makes no call until rank 0 has its sum, so rank 0 must have added up both slices.
  std::atomic<bool> has_sum{false}, in_time{false};
  run_ranks(2, [&](Communicator& communicator) {
    Tensor x = at::ones({1'000'000});
    Pending pending = communicator.all_reduce_async(x);
    if (communicator.rank() == 1) {
      for (int i = 0; i < 2000 && !has_sum; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(5));
      in_time = has_sum.load();
    }
    pending.wait();
    has_sum = true;
    expect_filled(x, 2, "sum");
  });
  EXPECT_TRUE(in_time);
}

TEST(AllReduceAsync, OperationsGoOnWithinOtherWaits) {
  // Rank 0 waits in a barrier only; rank 1 comes there when it has the sums, for which steps of rank 0 are needed.
  for (const auto algorithm : {Algorithm::direct, Algorithm::ring, Algorithm::tree}) {
    run_ranks(
        2,
        [&](Communicator& communicator) {
          Tensor x = at::ones({200'000});
          Pending pending = communicator.all_reduce_async(x, {.algorithm = algorithm});
          if (communicator.rank() == 1) pending.wait();
          communicator.barrier();
          pending.wait();
          expect_filled(x, 2, name_of(algorithm));
        },
        20);
  }
}

TEST(AllReduceAsync, OneThatWasLetGoIsFinishedLater) {
  run_ranks(2, [](Communicator& communicator) {
    for (int round = 0; round < 100; ++round) {
      Tensor x = at::ones({2000});
      {
        Tensor forgotten = at::ones({3000});  // its memory stays as long as the others need it
        Pending pending = communicator.all_reduce_async(forgotten);
        if (communicator.rank() == 1) pending.wait();
      }
      Pending pending = communicator.all_reduce_async(x);
      pending = {};
      communicator.barrier();
      Tensor y = at::ones({2000});
      communicator.all_reduce_async(y).wait();
      expect_filled(y, 2, "the operation after those that were let go");
    }
  });
}

TEST(AllReduceAsync, MovesLikeAValue) {
  LocalGroup alone(1);
  Tensor x = at::ones({4});
  Pending first = alone.rank(0).all_reduce_async(x), second;
  second = std::move(first);
  EXPECT_FALSE(first.active());
  EXPECT_TRUE(second.active());
  Pending third(std::move(second));
  EXPECT_GT(third.wait().finished, 0);
  expect_filled(x, 1, "alone");
}

}  // namespace
}  // namespace tandem::comm
