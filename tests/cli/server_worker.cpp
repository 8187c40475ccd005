// A worker of parameter servers: server_worker MODE STEPS KEY_FILE [ADDRESS ...]. KEY_FILE "-": by TANDEM_JOB_KEY;
// "none": none. Without addresses the job's own ps. Its gradients are ones and the rate is 1, so that parameters count
// the gradients. Where it cannot go on it begins anew.
#include <ATen/ATen.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "tandem/cluster/who_am_i.h"
#include "tandem/core/error.h"
#include "tandem/servers/serve.h"
#include "tandem/servers/server_client.h"
#include "tandem/servers/server_key_file.h"

using namespace tandem;

namespace {

constexpr int kTries = 20;

void train(const servers::ClientOptions& options, const servers::ServerPlan& plan, int64_t steps) {
  servers::ServerClient client(options);
  Tensor parameters = at::zeros({plan.elements});
  client.begin(plan, parameters);
  std::printf("begun from update %ld\n", static_cast<long>(client.resumed()));
  const Tensor ones = at::ones({plan.elements});
  for (int64_t step = client.resumed() + 1; step <= steps; ++step) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    for (int64_t b = 0; b < plan.blocks(); ++b) client.push(b, ones);
    client.finish(parameters);
    std::printf("step %ld\n", static_cast<long>(step));
    std::fflush(stdout);
  }
  client.leave();
  std::printf("parameters %g to %g\n", parameters.min().item<double>(), parameters.max().item<double>());
}

}  // namespace

int main(int argc, char** argv) try {
  const cluster::Environment environment;
  const auto self = cluster::who_am_i(environment);
  servers::ClientOptions options;
  options.worker = self.rank;
  options.wait_seconds = 30;
  for (int i = 4; i < argc; ++i) options.servers.push_back(argv[i]);
  for (const auto& server : self.servers) options.servers.push_back(server.to_string());
  const std::string key_file = argv[3];
  if (key_file != "none")
    options.key = key_file == "-" ? servers::job_key_of(environment) : std::optional(servers::read_key(key_file));
  const auto plan = servers::divide_among_servers({.mode = servers::server_mode(argv[1]),
                                                   .workers = self.world_size,
                                                   .weights = {{"w", 0, {1000}}},
                                                   .elements = 1000},
                                                  *Optimizer::make("SGD", Config::object({{"learning_rate", 1.0}})),
                                                  static_cast<int64_t>(options.servers.size()), 400);
  for (int tries = 0; tries < kTries; ++tries) {
    try {
      train(options, plan, std::atol(argv[2]));
      return 0;
    } catch (const PeerError& error) {
      std::printf("cannot go on: %s\n", error.what());
      std::fflush(stdout);
      if (std::strstr(error.what(), "refuses to speak with us")) return 4;
    }
  }
  return 4;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
