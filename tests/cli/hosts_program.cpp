// A process of a job with a parameter server on each host: hosts_program MODE SERVER_SYNC SYNC_EVERY. A ps serves, the
// others train on the digits, and print how the loss fell and a number of their weights.
#include <tandem/tandem.h>

#include <cstdio>
#include <cstdlib>

#include "tandem/cluster/who_am_i.h"
#include "tandem/servers/serve.h"

using namespace tandem;

int main(int, char** argv) try {
  const std::string mode = argv[1], server_sync = argv[2];
  const int64_t sync_every = std::atol(argv[3]);
  const cluster::Environment environment;
  const auto self = cluster::who_am_i(environment);
  if (self.role == cluster::Role::server) {
    const auto figures = servers::serve({.key = servers::job_key_of(environment),
                                         .hosts = servers::server_addresses(self),
                                         .host = self.index,
                                         .server_sync = server_sync,
                                         .sync_every = sync_every});
    std::printf("%ld rounds, %ld bytes\n", static_cast<long>(figures.rounds),
                static_cast<long>(figures.bytes_to_servers));
    return 0;
  }
  set_random_seed(self.rank);  // the first one's weights are those that count
  distribute::ParameterServerOptions options{
      .server_sync = server_sync, .sync_every = sync_every, .threads_per_device = 1, .mode = mode};
  if (mode == "sync") options.group = distribute::init_process_group();
  Sequential model({layers::Input({8, 8, 1}), layers::Flatten(), layers::Rescaling(1.0 / 16),
                    layers::Dense(16, {.activation = "relu"}), layers::Dense(10, {.activation = "softmax"})});
  model.compile({.optimizer = optimizers::SGD({.learning_rate = 0.05, .momentum = 0.9}),
                 .loss = "sparse_categorical_crossentropy",
                 .metrics = {"accuracy"},
                 .strategy = distribute::ParameterServer(options)});
  const auto history = model.fit(datasets::digits(), {.batch_size = 32, .epochs = 3, .verbose = 0});
  double sum = 0;
  for (const auto& w : model.get_weights()) sum += w.to(torch::kDouble).square().sum().item<double>();
  std::printf("weights %.17g\nloss %.9f to %.9f\n", sum, history["loss"].front(), history["loss"].back());
  std::printf("%ld rounds, %ld bytes\n", static_cast<long>(history.facts().server_rounds),
              static_cast<long>(history.facts().server_bytes));
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return dynamic_cast<const PeerError*>(&error) ? 4 : 1;
}
