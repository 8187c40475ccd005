// Ranks that are killed or stopped at moments drawn from a seed: nothing hangs, and the survivors say who it was.
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <random>
#include <thread>

#include "run_tandem.h"

namespace tandem::testing {
namespace {

using Clock = std::chrono::steady_clock;

// The number in an environment variable, else `otherwise`.
int64_t number_of(const char* name, int64_t otherwise) {
  const char* text = std::getenv(name);
  return text ? std::atoll(text) : otherwise;
}

struct Draw {
  int64_t ranks, victim, milliseconds;
  int signal;
  std::string backend;
};

void run(const Draw& draw) {
  const auto victim = std::to_string(draw.victim);
  const ::testing::ScopedTrace trace(__FILE__, __LINE__,
                                     "signal " + std::to_string(draw.signal) + " to rank " + victim + " of " +
                                         std::to_string(draw.ranks) + ", " + draw.backend);
  const TemporaryFolder folder;
  Running running({"launch", "-n", std::to_string(draw.ranks), "--grace", "6", "--", "sh", "-c",
                   std::string("echo $$ > pid$RANK; exec \"") + TANDEM_RANK_LOOP + "\" " + draw.backend +
                       (draw.backend == "gloo" ? " 20 6" : " 10 2")},
                  folder.path());
  running.await_output("begun");
  const auto pid = pid_in(folder.file("pid" + victim));
  std::this_thread::sleep_for(std::chrono::milliseconds(draw.milliseconds));
  const auto begin = Clock::now();
  ASSERT_EQ(::kill(pid, draw.signal), 0);
  const auto ended = running.wait();
  // The launcher lets a stopped one end six seconds after the first of the others.
  EXPECT_LT(Clock::now() - begin, std::chrono::seconds(60));
  EXPECT_EQ(ended.status, 128 + (draw.signal == SIGKILL ? SIGKILL : SIGTERM)) << ended.err;
  for (int64_t rank = 0; rank < draw.ranks; ++rank) {
    if (rank == draw.victim) continue;
    const auto own = "[" + std::to_string(rank) + "] rank " + std::to_string(rank) + ": ";
    std::string line;
    for (const auto& one : lines_of(ended.err)) {
      if (one.starts_with(own)) line = one;
    }
    // Over Gloo the first that gives a silent one up closes its connections, and the others see who did not.
    const bool lost = line.find("rank " + victim + " is lost") != std::string::npos;
    const bool silent = line.find("rank " + victim + " has been silent") != std::string::npos;
    EXPECT_TRUE(draw.signal == SIGKILL ? lost : silent || (lost && draw.backend == "gloo")) << ended.err;
  }
}

TEST(LostRanks, AreNamedWheneverItComes) {
  const auto seed = static_cast<uint64_t>(number_of("TANDEM_SEED", std::random_device()()));
  const auto rounds = number_of("TANDEM_LOST_RANKS", 4);
  std::cout << "TANDEM_SEED=" << seed << std::endl;
  std::mt19937_64 random(seed);
  const auto below = [&](uint64_t n) { return static_cast<int64_t>(random() % n); };
  for (int64_t round = 0; round < rounds; ++round) {
    Draw draw;
    draw.ranks = 2 + below(3);
    draw.victim = below(static_cast<uint64_t>(draw.ranks));
    draw.milliseconds = below(500);
    draw.signal = round % 2 == 0 ? SIGKILL : SIGSTOP;
    draw.backend = round % 4 < 2 ? "auto" : "gloo";
    run(draw);
  }
}

}  // namespace
}  // namespace tandem::testing
