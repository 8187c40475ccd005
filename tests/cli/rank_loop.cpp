// A rank that exchanges until it is ended: rank_loop BACKEND LIMIT_SECONDS SILENCE_SECONDS. It says "begun" after the
// first step.
#include <tandem/tandem.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

using namespace tandem;

int main(int, char** argv) try {
  const auto group = distribute::init_process_group(
      {.backend = argv[1], .limit_seconds = std::atof(argv[2]), .silence_seconds = std::atof(argv[3])});
  auto& ranks = group.communicator();
  std::vector<Tensor> buckets;
  for (const int64_t elements : {10, 3000, 400'000}) buckets.push_back(torch::zeros({elements}));
  for (int64_t step = 1;; ++step) {
    report_step(step);
    {
      const ActivityScope activity(Activity::data);
      std::this_thread::sleep_for(std::chrono::milliseconds(group.rank()));
    }
    std::vector<comm::Pending> pending;
    {
      const ActivityScope activity(Activity::compute);
      for (auto& bucket : buckets) pending.push_back(ranks.all_reduce_async(bucket, {.what = "bucket"}));
    }
    for (auto& one : pending) one.wait();
    if (step % 10 == 0) group.barrier();
    if (step == 1 && group.rank() == 0) {
      std::puts("begun");
      std::fflush(stdout);
    }
  }
} catch (const PeerError& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 4;
}
