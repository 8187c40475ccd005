// Bytes that other ranks take, by the formula of each algorithm, and the times beside them.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <bit>
#include <chrono>
#include <functional>
#include <future>
#include <thread>

#include "tandem/comm/local_group.h"

namespace tandem::comm {
namespace {

// Bytes by rank after `act` on each of n ranks.
std::vector<int64_t> bytes_after(int64_t n, const std::function<void(Communicator&)>& act) {
  LocalGroup group(n, 60);
  std::vector<std::thread> threads;
  for (int64_t r = 0; r < n; ++r) threads.emplace_back([&group, &act, r] { act(group.rank(r)); });
  for (auto& thread : threads) thread.join();
  std::vector<int64_t> bytes;
  for (int64_t r = 0; r < n; ++r) bytes.push_back(group.rank(r).bytes_sent());
  return bytes;
}

// Slices are cut at multiples of 64 elements: rank r of n has lines [L r / n, L (r + 1) / n) of the L begun ones.
int64_t slice_size(int64_t count, int64_t n, int64_t r) {
  const int64_t lines = (count + 63) / 64;
  return std::min(count, lines * (r + 1) / n * 64) - std::min(count, lines * r / n * 64);
}

std::function<void(Communicator&)> reduces(int64_t count, Algorithm algorithm) {
  return [=](Communicator& communicator) {
    Tensor sum = at::ones({count});
    communicator.all_reduce(sum, {.algorithm = algorithm});
  };
}

TEST(BytesSent, DirectGivesAddendsOnceAndItsSumToEachOther) {
  for (int64_t n = 1; n <= 8; ++n) {
    for (const int64_t count : {1030, 5000, 70001}) {
      const auto bytes = bytes_after(n, reduces(count, Algorithm::direct));
      for (int64_t r = 0; r < n; ++r) {
        const int64_t own = slice_size(count, n, r);
        EXPECT_EQ(bytes[static_cast<std::size_t>(r)], 4 * ((count - own) + (n - 1) * own)) << n << " ranks, rank " << r;
      }
    }
    for (const auto bytes : bytes_after(n, reduces(1024, Algorithm::direct))) EXPECT_EQ(bytes, (n - 1) * 4096) << n;
    for (const auto bytes : bytes_after(n, reduces(0, Algorithm::direct))) EXPECT_EQ(bytes, 0);
  }
}

TEST(BytesSent, DirectGivesNothingToRanksThatWantNoResult) {
  const auto bytes = bytes_after(4, [](Communicator& communicator) {
    Tensor large = at::ones({5120}), small = at::ones({10});  // slices of 1280 elements
    communicator.all_reduce(large, {.wants_result = communicator.rank() == 2});
    communicator.all_reduce(small, {.wants_result = communicator.rank() == 2});
  });
  for (std::size_t r = 0; r < 4; ++r) EXPECT_EQ(bytes[r], 4 * (3840 + (r == 2 ? 0 : 1280)) + (r == 2 ? 0 : 40)) << r;
}

TEST(BytesSent, RingGivesAllSlicesButOneTwice) {
  for (int64_t n = 2; n <= 8; ++n) {
    for (const int64_t count : {100, 5000}) {
      const auto bytes = bytes_after(n, reduces(count, Algorithm::ring));
      for (int64_t r = 0; r < n; ++r) {
        const int64_t kept = slice_size(count, n, (r + 1) % n) + slice_size(count, n, (r + 2) % n);
        EXPECT_EQ(bytes[static_cast<std::size_t>(r)], 4 * (2 * count - kept)) << n << " ranks, rank " << r;
      }
    }
  }
}

TEST(BytesSent, TreeGivesTheTensorOnceALevel) {
  for (int64_t n = 2; n <= 8; ++n) {
    const auto bytes = bytes_after(n, reduces(999, Algorithm::tree));
    const auto powers = static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(n)));
    const int64_t levels = std::bit_width(static_cast<uint64_t>(powers)) - 1;
    for (int64_t r = 0; r < n; ++r) {
      const bool paired = r < 2 * (n - powers);  // even ones give their tensor, odd ones give the sum back
      const int64_t times = !paired ? levels : r % 2 == 0 ? 1 : levels + 1;
      EXPECT_EQ(bytes[static_cast<std::size_t>(r)], 4 * 999 * times) << n << " ranks, rank " << r;
    }
  }
}

TEST(BytesSent, OtherCollectivesAndMessages) {
  constexpr int64_t kRanks = 3;
  const auto bytes = bytes_after(kRanks, [](Communicator& communicator) {
    Tensor message = at::ones({10}, at::kDouble), whole = at::ones({kRanks * 100}), part = at::ones({100});
    communicator.broadcast(message,
                           1);                                 // 80 bytes to each of 2 others from rank 1
    communicator.reduce_scatter(whole, part);                  // 400 bytes to each of 2 others
    communicator.all_gather(part, whole);                      // the same
    communicator.barrier();                                    // nothing
    if (communicator.rank() == 0) communicator.send(part, 2);  // 400 bytes
    if (communicator.rank() == 2) communicator.recv(part, 0);
  });
  EXPECT_EQ(bytes, (std::vector<int64_t>{1600 + 400, 1600 + 160, 1600}));
}

TEST(Seconds, ALateRankIsWaitedForAndWaitsForNobody) {
  LocalGroup group(2, 60);
  std::promise<void> first_comes;
  std::thread other([&] {
    Tensor x = at::ones({100'000});
    first_comes.get_future().wait();
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    group.rank(1).all_reduce(x);
  });
  Tensor x = at::ones({100'000});
  first_comes.set_value();
  group.rank(0).all_reduce(x);
  other.join();
  EXPECT_GT(group.rank(0).seconds_waiting(), 0.1);
  EXPECT_GT(group.rank(0).seconds_moving(), 0);
  EXPECT_LT(group.rank(1).seconds_waiting(), group.rank(0).seconds_waiting());
}

}  // namespace
}  // namespace tandem::comm
