// Collectives allocate nothing once a group has warmed up. Counts what this program's threads ask of operator new.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <new>

#include "tandem/core/error.h"
#include "tandem/testing/run_ranks.h"

namespace {

thread_local int64_t allocations = 0;

void* counted(std::size_t bytes, std::size_t alignment) {
  ++allocations;
  const std::size_t size = (bytes + alignment - 1) / alignment * alignment;
  void* memory = alignment <= alignof(std::max_align_t) ? std::malloc(bytes) : std::aligned_alloc(alignment, size);
  if (!memory) throw std::bad_alloc();
  return memory;
}

}  // namespace

void* operator new(std::size_t bytes) { return counted(bytes, 1); }
void* operator new[](std::size_t bytes) { return counted(bytes, 1); }
void* operator new(std::size_t bytes, std::align_val_t a) { return counted(bytes, static_cast<std::size_t>(a)); }
void* operator new[](std::size_t bytes, std::align_val_t a) { return counted(bytes, static_cast<std::size_t>(a)); }
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  ++allocations;
  return std::malloc(bytes);
}
void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept {
  ++allocations;
  return std::malloc(bytes);
}
void operator delete(void* memory, const std::nothrow_t&) noexcept { std::free(memory); }
void operator delete[](void* memory, const std::nothrow_t&) noexcept { std::free(memory); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

namespace tandem::comm {
namespace {

TEST(NoAllocation, InTheSteadyState) {
  testing::run_ranks(3, [](Communicator& communicator) {
    const int64_t right = (communicator.rank() + 1) % 3, left = (communicator.rank() + 2) % 3;
    Tensor small = at::ones({10}), large = at::ones({30'000}), part = at::ones({10'000}), message = at::ones({5000});
    std::vector<Tensor> buckets;
    for (int64_t i = 0; i < 20; ++i) buckets.push_back(at::ones({3000}));
    std::vector<Pending> pending(buckets.size());
    int64_t before = 0;
    for (int round = 0; round < 60; ++round) {
      const bool warming_up = round < 30;  // until every slot and buffer has been in use
      if (round == 30) before = allocations;
      for (std::size_t i = 0; i < buckets.size(); ++i) pending[i] = communicator.all_reduce_async(buckets[i]);
      for (const auto algorithm : {Algorithm::direct, Algorithm::ring, Algorithm::tree}) {
        communicator.all_reduce(small, {.algorithm = algorithm});
        communicator.all_reduce(large, {.algorithm = algorithm});
      }
      communicator.reduce_scatter(large, part);
      communicator.all_gather(part, large);
      communicator.broadcast(large, 1);
      communicator.barrier();
      communicator.send(message, right);
      if (warming_up) communicator.barrier();  // so that messages are kept, which else goes by who comes first
      communicator.recv(message, left);
      for (auto& p : pending) p.wait();
    }
    const int64_t made = allocations - before;
    if (made > 0) throw InternalError(c10::str(made, " allocations in 30 rounds"));
  });
  const int64_t before = allocations;
  const Tensor made = at::ones({3});
  EXPECT_GT(allocations - before, 0) << "what LibTorch allocates must be counted, too";
}

}  // namespace
}  // namespace tandem::comm
