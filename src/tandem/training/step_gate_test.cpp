#include "tandem/training/step_gate.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <semaphore>
#include <thread>

namespace tandem {
namespace {

// A loop on a thread of its own; a step is in flight until let_step_end() was called for it.
class GatedLoop {
 public:
  GatedLoop() : thread_([this] { run(); }) {}
  ~GatedLoop() {
    gate.stop();
    let_step_end(1000);
    if (thread_.joinable()) join();
  }
  void join() { thread_.join(); }
  void let_step_end(int n = 1) {
    for (int i = 0; i < n; ++i) ends_.release();
  }
  void await_steps(int n) const {
    for (int seen = begun; seen < n; seen = begun) begun.wait(seen);
  }
  StepGate gate;
  std::atomic<int> begun = 0;

 private:
  void run() {
    while (gate.is_open() || gate.pass()) {
      ++begun;
      begun.notify_all();
      ends_.acquire();
    }
    gate.end();
  }
  std::counting_semaphore<> ends_{0};
  std::thread thread_;
};

TEST(StepGate, PauseWaitsForTheStepInFlight) {
  GatedLoop loop;
  loop.await_steps(1);
  auto paused = std::async(std::launch::async, [&] { loop.gate.pause(); });
  EXPECT_EQ(paused.wait_for(std::chrono::milliseconds(50)), std::future_status::timeout) << "the step is in flight";
  loop.let_step_end();
  paused.get();
  EXPECT_EQ(loop.begun, 1);
  loop.gate.pause();  // it is held: nothing to wait for
  loop.gate.resume();
  loop.await_steps(2);
}

TEST(StepGate, ResumeLetsAPauseGo) {
  GatedLoop loop;
  loop.await_steps(1);
  auto paused = std::async(std::launch::async, [&] { loop.gate.pause(); });
  while (!loop.gate.paused()) std::this_thread::yield();
  loop.gate.resume();
  paused.get();  // while the step is still in flight
}

TEST(StepGate, StopEndsALoopThatIsHeld) {
  GatedLoop loop;
  loop.await_steps(1);
  auto paused = std::async(std::launch::async, [&] { loop.gate.pause(); });
  while (!loop.gate.paused()) std::this_thread::yield();
  loop.let_step_end();
  paused.get();
  loop.gate.stop();
  loop.join();
  EXPECT_EQ(loop.begun, 1);
}

TEST(StepGate, BeforeTheLoopAndAfterItPauseReturnsAtOnce) {
  StepGate gate;
  gate.pause();
  gate.resume();
  EXPECT_FALSE(gate.is_open()) << "the loop has not passed it yet";
  EXPECT_TRUE(gate.pass());
  EXPECT_TRUE(gate.is_open());
  gate.pause();  // on the loop's own thread
  EXPECT_TRUE(gate.paused());
  gate.resume();
  EXPECT_TRUE(gate.pass());
  gate.end();
  std::thread([&] { gate.pause(); }).join();
}

TEST(StepGate, StoppedBeforeItBegan) {
  StepGate gate;
  gate.stop();
  EXPECT_FALSE(gate.pass());
  EXPECT_FALSE(gate.pass());
  EXPECT_FALSE(gate.is_open());
}

}  // namespace
}  // namespace tandem
