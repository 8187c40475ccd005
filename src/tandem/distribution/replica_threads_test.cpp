#include "tandem/distribution/replica_threads.h"

#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <set>

#include "tandem/comm/local_group.h"
#include "tandem/core/device.h"
#include "tandem/core/error.h"
#include "tandem/distribution/strategy.h"
#include "tandem/testing/message_of.h"

namespace tandem::distribute {
namespace {

using testing::message_of;

TEST(ReplicaThreads, EachRankRunsOnItsOwnThreadEveryTime) {
  ReplicaThreads threads(3, 2);
  std::vector<std::thread::id> ids(3);
  std::vector<int> thread_counts(3);
  threads.run([&](int64_t r) { ids[static_cast<std::size_t>(r)] = std::this_thread::get_id(); });
  EXPECT_EQ(std::set(ids.begin(), ids.end()).size(), 3U);
  for (int round = 0; round < 100; ++round) {
    threads.run([&](int64_t r) {
      EXPECT_EQ(ids[static_cast<std::size_t>(r)], std::this_thread::get_id());
      thread_counts[static_cast<std::size_t>(r)] = at::get_num_threads();
    });
  }
  EXPECT_EQ(thread_counts, (std::vector<int>{2, 2, 2}));
}

TEST(ReplicaThreads, TheFirstFailureIsThrownAndTheOthersAreWoken) {
  ReplicaThreads threads(4, 1);
  comm::LocalGroup group(4);  // limit: 600 s
  const auto start = std::chrono::steady_clock::now();
  std::atomic<int> peers{0};
  const auto work = [&](int64_t rank) {
    if (rank == 2) {
      std::this_thread::sleep_for(std::chrono::milliseconds(30));
      throw DataError("row 5 cannot be read");
    }
    try {
      group.rank(rank).barrier();
    } catch (const PeerError&) {
      ++peers;
      throw;
    }
  };
  EXPECT_EQ(
      message_of<DataError>([&] { threads.run(work, [&](const std::string& message) { group.abort(message); }); }),
      "row 5 cannot be read");
  EXPECT_EQ(peers, 3);
  EXPECT_LT(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(), 1);
  std::atomic<int> ran{0};
  threads.run([&](int64_t) { ++ran; });  // usable afterwards, the old failure forgotten
  EXPECT_EQ(ran, 4);
}

TEST(ReplicaThreads, ExceptionsThatAreNotStandardAreThrownToo) {
  ReplicaThreads threads(2, 1);
  EXPECT_THROW(threads.run([](int64_t rank) {
    if (rank == 1) throw 7;
  }),
               int);
}

TEST(ThreadsPerDevice, AskedThenEnvironmentThenCores) {
  const char* const kName = "TANDEM_THREADS_PER_DEVICE";
  unsetenv(kName);
  EXPECT_EQ(threads_per_device(2, 3), 3);
  EXPECT_EQ(threads_per_device(1, 0), available_cores());
  EXPECT_EQ(threads_per_device(10 * available_cores(), 0), 1);
  setenv(kName, "5", 1);
  EXPECT_EQ(threads_per_device(2, 0), 5);
  EXPECT_EQ(threads_per_device(2, 3), 3);
  for (const char* wrong : {"0", "-1", "two", "2x", ""}) {
    setenv(kName, wrong, 1);
    EXPECT_EQ(message_of([] { threads_per_device(2, 0); }),
              std::string("TANDEM_THREADS_PER_DEVICE: must be a whole number from 1 to 1024, got '") + wrong + "'");
  }
  unsetenv(kName);
  EXPECT_EQ(message_of([] { threads_per_device(2, -1); }),
            "threads_per_device: must be positive, or 0 to divide the cores, got -1");
}

TEST(Strategies, ByName) {
  EXPECT_EQ(make_strategy("mirrored", {.devices = {"cpu:0", "cpu:1"}})->devices().size(), 2);
  EXPECT_EQ(make_strategy("single", {})->devices().to_string(), "cpu:0");
  EXPECT_EQ(message_of([] {
              make_strategy("single", {.devices = {"cpu:0", "cpu:1"}});
            }),
            "strategy single: must get one device, got cpu:0,cpu:1");
  EXPECT_NE(message_of([] { make_strategy("mirored", {}); }).find("'mirrored'"), std::string::npos);
  EXPECT_NE(message_of([] {
              make_strategy("mirrored", {.devices = {"cpu:0", "cpu:0"}});
            }).find("cpu:0"),
            std::string::npos);
}

}  // namespace
}  // namespace tandem::distribute
