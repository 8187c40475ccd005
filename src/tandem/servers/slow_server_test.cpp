// A server that takes nothing for a while: workers wait, and what is on its way to it does not grow.
#include <ATen/ATen.h>
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <fstream>
#include <latch>
#include <list>
#include <mutex>
#include <thread>

#include "tandem/servers/hosts_test.h"
#include "tandem/testing/on_threads.h"

namespace tandem::servers {
namespace {

// Stands between workers and a server, hands on what they say, and while it holds takes nothing from the workers.
class Wire {
 public:
  explicit Wire(const std::string& server) : port_(std::atoi(server.substr(server.rfind(':') + 1).c_str())) {
    listener_ = ::socket(AF_INET, SOCK_STREAM, 0);
    auto here = loopback(0);
    EXPECT_EQ(::bind(listener_, reinterpret_cast<sockaddr*>(&here), sizeof(here)), 0);
    EXPECT_EQ(::listen(listener_, 8), 0);
    socklen_t size = sizeof(here);
    ::getsockname(listener_, reinterpret_cast<sockaddr*>(&here), &size);
    address_ = "127.0.0.1:" + std::to_string(ntohs(here.sin_port));
    accepting_ = std::thread([this] { accept_all(); });
  }
  ~Wire() {
    hold(false);
    ::shutdown(listener_, SHUT_RDWR);
    accepting_.join();
    for (const int end : ends_) ::shutdown(end, SHUT_RDWR);
    for (auto& thread : threads_) thread.join();
    for (const int end : ends_) ::close(end);
    ::close(listener_);
  }
  Wire(const Wire&) = delete;
  Wire& operator=(const Wire&) = delete;

  const std::string& address() const { return address_; }
  void hold(bool on) {
    const std::lock_guard lock(mutex_);
    holds_ = on;
    changed_.notify_all();
  }
  // That workers have sent.
  int64_t bytes() const { return bytes_; }

 private:
  static sockaddr_in loopback(int port) {
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_port = htons(static_cast<uint16_t>(port));
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return at;
  }
  void accept_all() {
    for (int worker = 0; (worker = ::accept(listener_, nullptr, nullptr)) >= 0;) {
      const int server = ::socket(AF_INET, SOCK_STREAM, 0);
      const auto there = loopback(port_);
      if (::connect(server, reinterpret_cast<const sockaddr*>(&there), sizeof(there)) != 0) {
        ::close(server);  // it has ended, before a worker that has left is gone
        ::close(worker);
        continue;
      }
      ends_.insert(ends_.end(), {worker, server});
      threads_.emplace_back([=, this] { hand_on(worker, server, true); });
      threads_.emplace_back([=, this] { hand_on(server, worker, false); });
    }
  }
  void hand_on(int from, int to, bool holds) {
    std::vector<char> bytes(1 << 16);
    while (true) {
      if (holds) {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return !holds_; });
      }
      const auto size = ::recv(from, bytes.data(), bytes.size(), 0);
      if (size <= 0) break;
      if (holds) bytes_ += size;
      for (ssize_t at = 0, sent = 0; at < size; at += sent) {
        sent = ::send(to, bytes.data() + at, static_cast<std::size_t>(size - at), MSG_NOSIGNAL);
        if (sent <= 0) break;
      }
    }
    ::shutdown(to, SHUT_WR);
  }

  const int port_;
  int listener_;
  std::string address_;
  std::thread accepting_;
  std::list<int> ends_;
  std::list<std::thread> threads_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool holds_ = false;
  std::atomic<int64_t> bytes_{0};
};

int64_t resident_bytes() {
  std::ifstream in("/proc/self/statm");
  int64_t size = 0, resident = 0;
  in >> size >> resident;
  return resident * ::sysconf(_SC_PAGESIZE);
}

constexpr int64_t kElements = 4 << 20, kGradient = kElements * 4, kWorkers = 2;

void train_past_a_hold(const std::string& mode) {
  ServerPlan wishes{.mode = server_mode(mode),
                    .workers = kWorkers,
                    .staleness = mode == "stale" ? 4 : 0,
                    .weights = {{"w", 0, {kElements}}},
                    .elements = kElements};
  // Far more blocks than messages that a server lets come.
  const auto plan = divide_among_servers(wishes, *Optimizer::make("sgd"), 1, 1 << 16);
  Server server({.silence_seconds = 60});
  Wire wire(server.address());
  constexpr int64_t kBefore = 3, kSteps = 8;
  std::latch ready(kWorkers + 1), held(kWorkers + 1), pushed(kWorkers + 1);
  std::atomic<int64_t> finished{0};
  std::thread workers([&] {
    testing::on_threads(kWorkers, [&](int64_t worker) {
      ServerClient client({.servers = {wire.address()}, .worker = worker, .silence_seconds = 60, .wait_seconds = 120});
      Tensor parameters = at::zeros({kElements});
      const Tensor gradient = at::ones({kElements});
      client.begin(plan, parameters);
      for (int64_t step = 0; step < kSteps; ++step) {
        if (step == kBefore) {
          ready.arrive_and_wait();
          held.arrive_and_wait();
        }
        for (int64_t b = 0; b < plan.blocks(); ++b) client.push(b, gradient);
        if (step == kBefore) pushed.arrive_and_wait();
        client.finish(parameters);
        ++finished;
        // All that it has sent is answered: never is more than one gradient on its way.
        EXPECT_EQ(client.bytes_sent(), (step + 1) * kGradient);
        EXPECT_EQ(client.bytes_received(), (step + 2) * kGradient);  // the first is begin's
      }
      client.leave();
    });
  });
  ready.arrive_and_wait();
  wire.hold(true);
  const auto sent = wire.bytes(), memory = resident_bytes();
  held.arrive_and_wait();
  pushed.arrive_and_wait();
  // Both wait now, whatever time passes: nobody can answer. One that reads was at most in the midst of a piece.
  EXPECT_EQ(finished, kWorkers * kBefore);
  EXPECT_LE(wire.bytes() - sent, 2 * kWorkers * (1 << 16));
  EXPECT_LE(resident_bytes() - memory, kWorkers * kGradient / 4);  // gradients lie where they were made
  wire.hold(false);
  workers.join();
  EXPECT_EQ(finished, kWorkers * kSteps);
  server.wait();
  EXPECT_EQ(server.figures().gradients(), kWorkers * kSteps);
  EXPECT_EQ(server.figures().updates, mode == "sync" ? kSteps : kWorkers * kSteps);
  EXPECT_GE(wire.bytes(), kWorkers * kSteps * kGradient);
  EXPECT_LT(wire.bytes(), kWorkers * kSteps * kGradient * 21 / 20 + kGradient);  // heads, and worker 0's parameters
}

TEST(SlowServer, MakesWorkersWaitAndNothingGrows) {
  for (const std::string mode : {"sync", "async"}) {
    SCOPED_TRACE(mode);
    train_past_a_hold(mode);
  }
}

}  // namespace
}  // namespace tandem::servers
