#include "tandem/kernels/cpu_allocator.h"

#include <ATen/ATen.h>
#include <c10/core/CPUAllocator.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "tandem/core/error.h"

namespace tandem::kernels {
namespace {

class CpuAllocator : public testing::Test {
 protected:
  void SetUp() override {
    install_cpu_allocator();
    release_cached_memory();
  }
  void TearDown() override { set_cpu_cache_limit(std::size_t{4} << 30); }

  static c10::DataPtr take(std::size_t bytes) { return c10::GetCPUAllocator()->allocate(bytes); }
  static int64_t cached() {
    const AllocatorStats stats = cpu_allocator_stats();
    return stats.bytes_reserved - stats.bytes_in_use;
  }
};

int64_t address(const c10::DataPtr& data) { return reinterpret_cast<int64_t>(data.get()); }

// What stands in `data` is a function of `seed`, so that two owners of one block would be noticed.
void write(const c10::DataPtr& data, std::size_t bytes, int seed) { std::memset(data.get(), seed & 0xff, bytes); }
bool holds(const c10::DataPtr& data, std::size_t bytes, int seed) {
  const auto* p = static_cast<const unsigned char*>(data.get());
  return std::all_of(p, p + bytes, [seed](unsigned char c) { return c == (seed & 0xff); });
}

TEST_F(CpuAllocator, StatsAreExact) {
  const AllocatorStats before = cpu_allocator_stats();
  {
    const auto a = take(1000);           // a block of 1024
    const auto b = take(3 << 20);        // of 3 MiB
    const auto c = take((3 << 20) + 1);  // of 3.25 MiB
    const AllocatorStats now = cpu_allocator_stats();
    const int64_t held = 1024 + (3 << 20) + (3 << 20) + (1 << 18);
    EXPECT_EQ(now.bytes_in_use - before.bytes_in_use, held);
    EXPECT_EQ(now.bytes_reserved - before.bytes_reserved, held);
    EXPECT_EQ(now.system_allocations - before.system_allocations, 3);
    EXPECT_EQ(now.cache_hits, before.cache_hits);
    EXPECT_GE(now.peak_bytes_in_use, now.bytes_in_use);
  }
  EXPECT_EQ(cpu_allocator_stats().bytes_in_use, before.bytes_in_use);
  EXPECT_EQ(cached(), 1024 + (3 << 20) + (3 << 20) + (1 << 18));
  { const auto again = take(1024); }
  EXPECT_EQ(cpu_allocator_stats().cache_hits, before.cache_hits + 1);
  EXPECT_EQ(cpu_allocator_stats().system_allocations, before.system_allocations + 3);
  release_cached_memory();
  EXPECT_EQ(cached(), 0);
}

TEST_F(CpuAllocator, PeakIsTheHighestSum) {
  const int64_t in_use = cpu_allocator_stats().bytes_in_use;
  const int64_t beyond = cpu_allocator_stats().peak_bytes_in_use - in_use + (64 << 20);
  { const auto most = take(static_cast<std::size_t>(beyond)); }
  const auto less = take(1 << 20);
  EXPECT_GE(cpu_allocator_stats().peak_bytes_in_use, in_use + beyond);
  EXPECT_LE(cpu_allocator_stats().peak_bytes_in_use, in_use + beyond + beyond / 8);
}

TEST_F(CpuAllocator, Alignment) {
  for (std::size_t bytes = 1; bytes < (std::size_t{64} << 20); bytes = bytes * 3 / 2 + 7) {
    const auto data = take(bytes);
    EXPECT_EQ(address(data) % 64, 0) << bytes;
    if (bytes >= (std::size_t{2} << 20)) {
      EXPECT_EQ(address(data) % (2 << 20), 64) << "after a header that begins a huge page";
    }
    write(data, bytes, 1);
  }
}

TEST_F(CpuAllocator, NothingIsAskedForNothing) {
  const AllocatorStats before = cpu_allocator_stats();
  const auto none = take(0);
  EXPECT_EQ(none.get(), nullptr);
  EXPECT_EQ(none.device(), c10::Device(c10::kCPU));
  EXPECT_EQ(at::empty({0, 3}).numel(), 0);
  EXPECT_EQ(cpu_allocator_stats().system_allocations, before.system_allocations);
}

TEST_F(CpuAllocator, RawInterfaceAndClone) {
  c10::Allocator* allocator = c10::GetCPUAllocator();
  const int64_t in_use = cpu_allocator_stats().bytes_in_use;
  void* raw = allocator->raw_allocate(5000);
  std::memset(raw, 7, 5000);
  const c10::DataPtr copy = allocator->clone(raw, 5000);
  EXPECT_NE(copy.get(), raw);
  EXPECT_TRUE(holds(copy, 5000, 7));
  EXPECT_EQ(cpu_allocator_stats().bytes_in_use, in_use + 2 * 5120);
  allocator->raw_deallocate(raw);
  EXPECT_EQ(cpu_allocator_stats().bytes_in_use, in_use + 5120);
}

TEST_F(CpuAllocator, MemoryOfTheFirstAllocatorIsFreedByItsOwnDeleter) {
  c10::Allocator* first = c10::GetDefaultCPUAllocator();
  ASSERT_NE(first, c10::GetCPUAllocator());
  const AllocatorStats before = cpu_allocator_stats();
  { const auto early = first->allocate(1 << 16); }
  for (std::size_t bytes = 1; bytes < (std::size_t{16} << 20); bytes *= 3) {
    c10::GetCPUAllocator()->raw_deallocate(first->raw_allocate(bytes));
  }
  void* begins_a_page = nullptr;
  ASSERT_EQ(posix_memalign(&begins_a_page, 4096, 4096), 0);
  c10::GetCPUAllocator()->raw_deallocate(begins_a_page);
  c10::GetCPUAllocator()->raw_deallocate(nullptr);
  EXPECT_EQ(cpu_allocator_stats().bytes_in_use, before.bytes_in_use);
  EXPECT_EQ(cached(), before.bytes_reserved - before.bytes_in_use);
}

TEST_F(CpuAllocator, InstallingAgainChangesNothing) {
  c10::Allocator* allocator = c10::GetCPUAllocator();
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back(install_cpu_allocator);
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(c10::GetCPUAllocator(), allocator);
}

TEST_F(CpuAllocator, OutOfMemorySaysWhatWasAskedAndInUse) {
  const auto held = take(1 << 20);
  for (const std::size_t bytes : {std::size_t{1} << 47, (std::size_t{1} << 47) + 1}) {
    try {
      take(bytes);
      ADD_FAILURE() << "no error";
    } catch (const c10::OutOfMemoryError& e) {
      const std::string message = e.what_without_backtrace();
      EXPECT_NE(message.find("asked for " + std::to_string(bytes) + " bytes"), std::string::npos) << message;
      EXPECT_NE(message.find(std::to_string(cpu_allocator_stats().bytes_in_use) + " bytes in use"), std::string::npos);
    }
  }
}

// What a thread took counts until it is freed, on whatever thread.
TEST_F(CpuAllocator, AThreadMayHaveSoMuchMemory) {
  c10::DataPtr outlives;
  std::string message;
  std::thread([&] {
    limit_memory_of_thread(5 << 20, "rank 3");
    outlives = take(4 << 20);
    try {
      take((1 << 20) + 1);
    } catch (const InvalidArgument& error) {
      message = error.what();
    }
    const auto fits = take(1 << 20);
    std::thread([&] { outlives.clear(); }).join();
    const auto again = take(4 << 20);
    limit_memory_of_thread(0, "");
    outlives = take(8 << 20);
    limit_memory_of_thread(1 << 20, "rank 3");
    const auto small = take(1 << 10);
  }).join();
  EXPECT_EQ(message,
            "rank 3: out of memory: memory_limit is 5242880 bytes, 4194304 are in use and 1048577 more were asked for");
}

TEST_F(CpuAllocator, LimitGivesBackTheSizesAskedForLongestAgo) {
  { const auto old = take(9 << 20); }
  { const auto recent = take(4 << 20); }
  EXPECT_EQ(cached(), 13 << 20);
  set_cpu_cache_limit(4 << 20);
  EXPECT_EQ(cached(), 4 << 20);
  const int64_t asked = cpu_allocator_stats().system_allocations;
  { const auto recent = take(4 << 20); }
  EXPECT_EQ(cpu_allocator_stats().system_allocations, asked);
  { const auto small = take(100); }  // one more block to keep, now beyond the limit
  EXPECT_LE(cached(), 4 << 20);
  set_cpu_cache_limit(0);
  { const auto any = take(4 << 20); }
  { const auto any = take(100); }
  EXPECT_EQ(cached(), 0);
}

TEST_F(CpuAllocator, ALargerBlockServesUpToTwiceTheSize) {
  { const auto block = take(8 << 20); }
  const AllocatorStats before = cpu_allocator_stats();
  {
    const auto half = take(4 << 20);
    EXPECT_EQ(cpu_allocator_stats().bytes_in_use, before.bytes_in_use + (8 << 20));
  }
  EXPECT_EQ(cpu_allocator_stats().system_allocations, before.system_allocations);
  { const auto less = take((4 << 20) - (1 << 19)); }  // the class below 4 MiB
  EXPECT_EQ(cpu_allocator_stats().system_allocations, before.system_allocations + 1);
  { const auto small = take(2048); }
  { const auto smaller = take(1024); }  // small blocks serve their own size only
  EXPECT_EQ(cpu_allocator_stats().system_allocations, before.system_allocations + 3);
}

TEST_F(CpuAllocator, NoGrowthOverManyAlternatingSizes) {
  std::mt19937 random(5);
  const auto round = [](int64_t rows) {
    std::vector<c10::DataPtr> live;
    for (std::size_t row = 40; row < 2'000'000; row = row * 5 / 3) live.push_back(take(row * rows));
  };
  for (const int64_t rows : {1, 5, 16}) round(rows);
  const AllocatorStats warm = cpu_allocator_stats();
  for (int i = 0; i < 300; ++i) round(std::array{1, 5, 16}[random() % 3]);
  EXPECT_EQ(cpu_allocator_stats().system_allocations, warm.system_allocations);
  EXPECT_EQ(cpu_allocator_stats().bytes_reserved, warm.bytes_reserved);
}

// Two replicas that take the same sizes at their own pace: after one round each, no meeting of peaks asks for more.
TEST_F(CpuAllocator, ReplicasDoNotDisturbOneAnother) {
  std::atomic<int64_t> warm{0};
  std::atomic<int> ready{0};
  std::vector<std::thread> replicas;
  for (int t = 0; t < 2; ++t) {
    replicas.emplace_back([&, t] {
      const auto step = [t](int repeat) {
        for (int i = 0; i < repeat; ++i) {
          std::vector<c10::DataPtr> live;
          for (std::size_t k = 0; k < 30; ++k) {
            live.push_back(take(1000 + 70'000 * k));
            if ((k + static_cast<std::size_t>(t)) % 3 == 0) live.erase(live.begin());
          }
        }
      };
      step(20);
      if (++ready == 2) warm = cpu_allocator_stats().system_allocations;
      while (!warm) std::this_thread::yield();
      step(500);
    });
  }
  for (std::thread& t : replicas) t.join();
  EXPECT_EQ(cpu_allocator_stats().system_allocations, warm);
}

// A loader thread makes batches, another thread uses them up: what is freed must find its way back.
TEST_F(CpuAllocator, BlocksComeBackFromTheThreadThatFreesThem) {
  constexpr std::array<std::size_t, 3> kSizes = {300, 70'000, 5'000'000};
  std::vector<c10::DataPtr> queue;
  std::mutex mutex;
  std::condition_variable changed;
  std::atomic<int> wrong{0};
  constexpr int kRounds = 3000;
  const int64_t reserved = cpu_allocator_stats().bytes_reserved;
  std::thread loader([&] {
    for (int i = 0; i < kRounds; ++i) {
      const std::size_t bytes = kSizes[static_cast<std::size_t>(i) % 3];
      c10::DataPtr batch = take(bytes);
      write(batch, bytes, i);
      std::unique_lock lock(mutex);
      changed.wait(lock, [&] { return queue.size() < 4; });
      queue.push_back(std::move(batch));
      changed.notify_all();
    }
  });
  std::thread consumer([&] {
    for (int i = 0; i < kRounds; ++i) {
      c10::DataPtr batch;
      {
        std::unique_lock lock(mutex);
        changed.wait(lock, [&] { return !queue.empty(); });
        batch = std::move(queue.front());
        queue.erase(queue.begin());
        changed.notify_all();
      }
      if (!holds(batch, kSizes[static_cast<std::size_t>(i) % 3], i)) ++wrong;
    }
  });
  loader.join();
  consumer.join();
  EXPECT_EQ(wrong, 0);
  // At most six batches are alive at a time, four of them waiting; without a way back 5 GB would have piled up.
  EXPECT_LE(cpu_allocator_stats().bytes_reserved - reserved, int64_t{6} * (512 + 81'920 + (5 << 20)));
  release_cached_memory();
  EXPECT_EQ(cached(), 0) << "threads that ended left their blocks to all";
}

TEST_F(CpuAllocator, NoBlockHasTwoOwners) {
  std::vector<c10::DataPtr> exchange(64);  // any thread may free what another took
  std::vector<std::pair<std::size_t, int>> meaning(64);
  std::mutex mutex;
  std::atomic<int> wrong{0};
  const int64_t in_use = cpu_allocator_stats().bytes_in_use;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      std::mt19937 random(static_cast<unsigned>(t));
      for (int i = 0; i < 4000; ++i) {
        const std::size_t bytes = std::size_t{1} + random() % (i % 50 == 0 ? 3'000'000 : 9000);
        const int seed = static_cast<int>(random() % 256);
        c10::DataPtr mine = take(bytes);
        write(mine, bytes, seed);
        std::pair<std::size_t, int> theirs{bytes, seed};
        {
          std::lock_guard lock(mutex);
          const std::size_t slot = random() % exchange.size();
          std::swap(exchange[slot], mine);
          std::swap(meaning[slot], theirs);
        }
        if (mine && !holds(mine, theirs.first, theirs.second)) ++wrong;
      }
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(wrong, 0);
  exchange.clear();
  EXPECT_EQ(cpu_allocator_stats().bytes_in_use, in_use);
}

// oneDNN takes its scratch memory from the allocator: convolution and its gradients against their definition.
TEST_F(CpuAllocator, ConvolutionForwardAndBackward) {
  constexpr int64_t N = 2, C = 3, K = 5, H = 9, R = 3;
  at::manual_seed(1);
  for (int repeat = 0; repeat < 3; ++repeat) {  // fresh blocks, then reused ones that hold old numbers
    at::Tensor x = at::randn({N, H, H, C}).permute({0, 3, 1, 2}).requires_grad_(true);
    at::Tensor w = at::randn({K, C, R, R}).requires_grad_(true);
    const at::Tensor y = at::conv2d(x, w, {}, 1, 1);
    const at::Tensor g = at::randn_like(y);
    (y * g).sum().backward();

    at::Tensor y2 = at::zeros({N, K, H, H}, at::kDouble), dx = at::zeros({N, C, H, H}, at::kDouble),
               dw = at::zeros({K, C, R, R}, at::kDouble);
    const at::Tensor xc = x.detach().contiguous(), gc = g.contiguous();
    auto X = xc.accessor<float, 4>(), W = w.accessor<float, 4>(), G = gc.accessor<float, 4>();
    auto Y2 = y2.accessor<double, 4>(), DX = dx.accessor<double, 4>(), DW = dw.accessor<double, 4>();
    for (int64_t n = 0; n < N; ++n)
      for (int64_t k = 0; k < K; ++k)
        for (int64_t c = 0; c < C; ++c)
          for (int64_t i = 0; i < H; ++i)
            for (int64_t j = 0; j < H; ++j)
              for (int64_t r = 0; r < R; ++r)
                for (int64_t s = 0; s < R; ++s) {
                  const int64_t a = i + r - 1, b = j + s - 1;
                  if (a < 0 || a >= H || b < 0 || b >= H) continue;
                  Y2[n][k][i][j] += double{X[n][c][a][b]} * W[k][c][r][s];
                  DX[n][c][a][b] += double{G[n][k][i][j]} * W[k][c][r][s];
                  DW[k][c][r][s] += double{G[n][k][i][j]} * X[n][c][a][b];
                }
    EXPECT_TRUE(at::allclose(y.to(at::kDouble), y2, 1e-4, 1e-4));
    EXPECT_TRUE(at::allclose(x.grad().to(at::kDouble), dx, 1e-4, 1e-4));
    EXPECT_TRUE(at::allclose(w.grad().to(at::kDouble), dw, 1e-4, 1e-4));
  }
}

TEST_F(CpuAllocator, TrainingStepsReachASteadyState) {
  at::Tensor w = at::randn({16, 3, 3, 3}).requires_grad_(true);
  const auto step = [&w] {
    const at::Tensor x = at::randn({8, 32, 32, 3}).permute({0, 3, 1, 2});
    at::relu(at::conv2d(x, w, {}, 1, 1)).mean().backward();
    w.mutable_grad() = at::Tensor();
  };
  for (int i = 0; i < 3; ++i) step();
  const AllocatorStats warm = cpu_allocator_stats();
  for (int i = 0; i < 20; ++i) step();
  EXPECT_EQ(cpu_allocator_stats().system_allocations, warm.system_allocations);
  EXPECT_GT(cpu_allocator_stats().cache_hits, warm.cache_hits);
}

}  // namespace
}  // namespace tandem::kernels
