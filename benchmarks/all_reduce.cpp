// Time and bus bandwidth of an all-reduce among the threads of this process, from 4 KiB to 256 MiB of float32, by every
// algorithm. Bus bandwidth is what NCCL's tests call so: bytes x 2 (ranks - 1) / ranks / time, whatever the algorithm.
//
// Under tandem launch it measures that among the job's processes, by whatever way they share.
//
// usage: all_reduce_benchmark [--ranks 2] [--max-bytes 268435456] [--json]
// Prints a table, or one JSON line: a list of {"algorithm", "bytes", "microseconds", "bus_gb_per_second"}.
#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

#include "tandem/comm/local_group.h"
#include "tandem/core/error.h"
#include "tandem/core/steady_seconds.h"
#include "tandem/distribution/process_group.h"
#include "tandem/kernels/cpu_allocator.h"

namespace {

using namespace tandem;

struct Arguments {
  int64_t ranks = 2, max_bytes = 256 << 20;
  bool json = false;
};

struct Measured {
  comm::Algorithm algorithm;
  int64_t bytes;
  double seconds;  // of one all-reduce: the median over rounds
};

constexpr comm::Algorithm kAlgorithms[] = {comm::Algorithm::automatic, comm::Algorithm::direct, comm::Algorithm::ring,
                                           comm::Algorithm::tree};
constexpr int kRounds = 9;

Arguments parse(int argc, char** argv) {
  Arguments a;
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    if (name == "--json") {
      a.json = true;
      continue;
    }
    int64_t* value = name == "--ranks" ? &a.ranks : name == "--max-bytes" ? &a.max_bytes : nullptr;
    if (!value || i + 1 == argc || (*value = std::atoll(argv[++i])) < 1)
      throw InvalidArgument("usage: all_reduce_benchmark [--ranks 2] [--max-bytes 268435456] [--json]");
  }
  return a;
}

// Seconds of one all-reduce as this rank sees it: the median over rounds.
double measure(comm::Communicator& communicator, comm::Algorithm algorithm, int64_t bytes) {
  // Rounds of some 30 ms, so that the clock and the start count for nothing.
  const int64_t repeats = std::clamp<int64_t>((int64_t{64} << 20) / bytes, 1, 1000);
  std::vector<double> seconds;
  at::set_num_threads(1);
  Tensor x = at::zeros({bytes / 4});
  for (int round = -2; round < kRounds; ++round) {  // the first two warm up
    communicator.barrier();
    const double start = steady_seconds();
    for (int64_t i = 0; i < repeats; ++i) communicator.all_reduce(x, {.algorithm = algorithm});
    if (round >= 0) seconds.push_back((steady_seconds() - start) / static_cast<double>(repeats));
  }
  std::sort(seconds.begin(), seconds.end());
  return seconds[seconds.size() / 2];
}

std::vector<Measured> measure_all(comm::Communicator& communicator, const Arguments& a) {
  std::vector<Measured> all;
  for (int64_t bytes = 4 << 10; bytes <= a.max_bytes; bytes *= 4) {
    for (const auto algorithm : kAlgorithms) all.push_back({algorithm, bytes, measure(communicator, algorithm, bytes)});
  }
  return all;
}

// Rank 0's figures; nothing in the other processes of a job.
std::vector<Measured> measure_all(Arguments& a) {
  const auto group = distribute::init_process_group();
  if (group.world_size() > 1) {
    a.ranks = group.world_size();
    auto all = measure_all(group.communicator(), a);
    if (group.rank() > 0) all.clear();
    return all;
  }
  comm::LocalGroup threads(a.ranks, 60);
  std::vector<Measured> all;
  std::vector<std::thread> running;
  for (int64_t r = 0; r < a.ranks; ++r) {
    running.emplace_back([&, r] {
      auto own = measure_all(threads.rank(r), a);
      if (r == 0) all = std::move(own);
    });
  }
  for (auto& thread : running) thread.join();
  return all;
}

double bus_gb_per_second(const Measured& m, int64_t ranks) {
  return static_cast<double>(m.bytes) * 2 * static_cast<double>(ranks - 1) / static_cast<double>(ranks) / m.seconds /
         1e9;
}

void print_json(const std::vector<Measured>& all, int64_t ranks) {
  const char* separator = "[";
  for (const auto& m : all) {
    std::printf(R"(%s{"algorithm": "%s", "bytes": %lld, "microseconds": %.3f, "bus_gb_per_second": %.3f})", separator,
                comm::name_of(m.algorithm), static_cast<long long>(m.bytes), m.seconds * 1e6,
                bus_gb_per_second(m, ranks));
    separator = ", ";
  }
  std::puts("]");
}

void print_table(const std::vector<Measured>& all, int64_t ranks) {
  std::printf("%lld ranks; microseconds (bus GB/s), medians of %d rounds\n%12s", static_cast<long long>(ranks), kRounds,
              "bytes");
  for (const auto algorithm : kAlgorithms) std::printf("%22s", comm::name_of(algorithm));
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i % std::size(kAlgorithms) == 0) std::printf("\n%12lld", static_cast<long long>(all[i].bytes));
    std::printf("%13.1f (%6.2f)", all[i].seconds * 1e6, bus_gb_per_second(all[i], ranks));
  }
  std::puts("");
}

}  // namespace

int main(int argc, char** argv) {
  try {
    Arguments a = parse(argc, argv);
    kernels::install_cpu_allocator();  // as in fit: huge pages
    const auto all = measure_all(a);
    if (all.empty()) return 0;
    a.json ? print_json(all, a.ranks) : print_table(all, a.ranks);
  } catch (const Error& error) {
    std::cerr << error.what() << '\n';
    return 2;
  }
}
