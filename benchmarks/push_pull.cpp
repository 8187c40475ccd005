// Bytes of gradients pushed plus parameters that come back, a second: one worker and 1 or 2 servers, processes of this
// machine, over tcp on loopback, without a key and with one; and updates a second of a small model.
//
// usage: push_pull_benchmark [--block-bytes 1048576] [--seconds 3]
#include <ATen/ATen.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include "tandem/core/error.h"
#include "tandem/core/steady_seconds.h"
#include "tandem/kernels/own_threads.h"
#include "tandem/optimizers/sgd.h"
#include "tandem/servers/server.h"
#include "tandem/servers/server_client.h"

namespace {

using namespace tandem;

std::optional<comm::JobKey> key_of_environment() {
  const char* secret = std::getenv(comm::kJobKeyVariable);
  return secret && *secret ? std::optional(comm::JobKey::of_secret(secret)) : std::nullopt;
}

int serve() {
  servers::Server server({.key = key_of_environment()});
  std::cout << server.address() << std::endl;
  server.wait();
  return 0;
}

// A process of this program that serves; it ends when its worker leaves.
class ServerProcess {
 public:
  ServerProcess() {
    std::array<char, 4096> own{};
    if (::readlink("/proc/self/exe", own.data(), own.size() - 1) < 0) throw DataError("/proc/self/exe: cannot be read");
    pipe_ = ::popen((std::string("exec '") + own.data() + "' --serve").c_str(), "r");
    std::array<char, 256> line{};
    if (!pipe_ || !std::fgets(line.data(), line.size(), pipe_)) throw PeerError("a server did not begin");
    address_ = line.data();
    address_.pop_back();
  }
  ~ServerProcess() { ::pclose(pipe_); }
  ServerProcess(const ServerProcess&) = delete;
  ServerProcess& operator=(const ServerProcess&) = delete;
  const std::string& address() const { return address_; }

 private:
  std::FILE* pipe_ = nullptr;
  std::string address_;
};

struct Measured {
  double median_gb = 0, best_gb = 0, updates = 0;  // a second
};

Measured measure(int64_t elements, int64_t count, int64_t block_bytes, double seconds) {
  std::vector<std::unique_ptr<ServerProcess>> processes;
  std::vector<std::string> addresses;
  for (int64_t s = 0; s < count; ++s) {
    processes.push_back(std::make_unique<ServerProcess>());
    addresses.push_back(processes.back()->address());
  }
  const auto plan = servers::divide_among_servers({.weights = {{"w", 0, {elements}}}, .elements = elements},
                                                  *optimizers::SGD({.learning_rate = 1e-6}).get(), count, block_bytes);
  servers::ServerClient client({.servers = addresses, .key = key_of_environment()});
  Tensor parameters = at::zeros({elements});
  const Tensor gradients = at::ones({elements});
  client.begin(plan, parameters);
  std::vector<double> times;
  double left = 0;
  for (int64_t step = 0; left < seconds; ++step) {
    const double begin = steady_seconds();
    for (int64_t b = 0; b < plan.blocks(); ++b) client.push(b, gradients);
    client.finish(parameters);
    if (step < 3) continue;  // warming up
    times.push_back(steady_seconds() - begin);
    left += times.back();
  }
  client.leave();
  std::sort(times.begin(), times.end());
  const double gb = 2 * static_cast<double>(elements) * sizeof(float) / 1e9;
  return {gb / times[times.size() / 2], gb / times.front(), static_cast<double>(times.size()) / left};
}

}  // namespace

int main(int argc, char** argv) {
  int64_t block_bytes = 1 << 20;
  double seconds = 3;
  try {
    kernels::set_own_threads(1);
    for (int i = 1; i < argc; ++i) {
      const std::string name = argv[i];
      if (name == "--serve") return serve();
      if (name == "--block-bytes" && i + 1 < argc) {
        block_bytes = std::atoll(argv[++i]);
      } else if (name == "--seconds" && i + 1 < argc) {
        seconds = std::atof(argv[++i]);
      } else {
        throw InvalidArgument("usage: push_pull_benchmark [--block-bytes 1048576] [--seconds 3]");
      }
    }
    std::printf("%10s %8s %6s %14s %12s %10s\n", "bytes", "servers", "key", "GB/s (median)", "GB/s (best)",
                "updates/s");
    for (const bool locked : {false, true}) {
      if (locked) ::setenv(comm::kJobKeyVariable, comm::JobKey::fresh().secret.c_str(), 1);
      for (const int64_t bytes : {40'000, 7'000'000, 100'000'000}) {
        for (const int64_t count : {1, 2}) {
          const auto m = measure(bytes / 4, count, block_bytes, seconds);
          std::printf("%10ld %8ld %6s %14.2f %12.2f %10.0f\n", static_cast<long>(bytes), static_cast<long>(count),
                      locked ? "yes" : "no", m.median_gb, m.best_gb, m.updates);
          std::fflush(stdout);
        }
      }
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
