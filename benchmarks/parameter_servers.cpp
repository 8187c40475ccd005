// Training with parameter servers in one process, workers of one core each:
//     parameter_servers_benchmark rates    with one of three workers slowed five times, what the others' rate is of the
//     one without parameter_servers_benchmark losses   on the digits after a fixed number of images, by mode
#include <tandem/tandem.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <thread>

using namespace tandem;
using namespace tandem::layers;
namespace d = tandem::distribute;

namespace {

using Clock = std::chrono::steady_clock;

d::ParameterServer servers(int64_t workers, const std::string& mode, int64_t staleness) {
  return d::ParameterServer({.workers = Devices::parse("cpu*" + std::to_string(workers)),
                             .threads_per_device = 1,
                             .mode = mode,
                             .staleness = mode == "stale" ? staleness : -1});
}

// Steps sleep, so that three workers need no three cores: 4 ms, and 20 ms on the first thread that comes where it is
// slowed.
struct Sleep {
  bool slowed = false, on = false;
  std::atomic<bool> taken{false};
  Tensor pass(const Tensor& x) {
    thread_local const Sleep* slow = nullptr;
    if (!on) return x * 1;
    if (slowed && !taken.exchange(true)) slow = this;
    std::this_thread::sleep_for(std::chrono::milliseconds(slow == this ? 20 : 4));
    return x * 1;
  }
};

// Steps a second of the workers that are not slowed.
double rate_of_others(const std::string& mode, int64_t staleness, bool slowed) {
  Sleep sleep;
  sleep.slowed = slowed;
  Model model = Sequential({Input({16}), Lambda([&](const Tensor& x) { return sleep.pass(x); }, {.output_shape = {16}}),
                            Dense(64, {.activation = "relu"}), Dense(4)});
  model.compile({.optimizer = "sgd", .loss = "mse", .strategy = servers(3, mode, staleness)});
  const Tensor x = torch::randn({2400, 16}), y = torch::randn({2400, 4});
  model.predict(x);
  sleep.on = true;
  const auto start = Clock::now();
  const auto history = model.fit(x, y, {.batch_size = 4, .epochs = 2, .verbose = 0});
  const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  auto rows = history.rows_per_device();
  std::sort(rows.begin(), rows.end());
  if (slowed) rows[0] = 0;
  const auto others = static_cast<double>(rows[0] + rows[1] + rows[2]) / 4 / (slowed ? 2 : 3);
  std::printf("%-6s %s  %6.1f steps a second of each that is not slowed, staleness at most %lld\n", mode.c_str(),
              slowed ? "one of three slowed" : "three alike        ", others / seconds,
              static_cast<long long>(history.max_staleness()));
  return others / seconds;
}

void compare_rates() {
  for (const auto& [mode, staleness] : {std::pair("async", 0), std::pair("stale", 2), std::pair("stale", 4)}) {
    double best = 0;
    for (int pair = 0; pair < 3; ++pair)
      best = std::max(best, rate_of_others(mode, staleness, true) / rate_of_others(mode, staleness, false));
    std::printf("%s (bound %d): the others keep %.0f %% of their rate\n", mode, staleness, 100 * best);
  }
}

void compare_losses() {
  const auto [train, test] = data::split(datasets::digits(), {0.8, 0.2}, {.seed = 42});
  for (const int64_t workers : {2, 4}) {
    for (const std::string mode : {"sync", "stale", "async"}) {
      set_random_seed(7);
      Model model = Sequential({Input({8, 8, 1}), Rescaling(1.0 / 16), Conv2D(16, {3, 3}, {.activation = "relu"}),
                                Flatten(), Dense(64, {.activation = "relu"}), Dense(10, {.activation = "softmax"})});
      model.compile({.optimizer = optimizers::SGD({.learning_rate = 0.02, .momentum = 0.9}),
                     .loss = "sparse_categorical_crossentropy",
                     .metrics = {"accuracy"},
                     .strategy = servers(workers, mode, 2)});
      const auto history = model.fit(train, {.batch_size = 32, .epochs = 5, .verbose = 0});
      const auto end = model.evaluate(test, {.verbose = 0});
      std::printf(
          "%lld workers, %-5s  loss %.3f, on the test rows %.3f, accuracy %.3f; staleness mean %.2f, most %lld\n",
          static_cast<long long>(workers), mode.c_str(), history["loss"].back(), end["loss"], end["accuracy"],
          history.mean_staleness(), static_cast<long long>(history.max_staleness()));
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::strcmp(argv[1], "rates") == 0) {
    compare_rates();
  } else if (argc == 2 && std::strcmp(argv[1], "losses") == 0) {
    compare_losses();
  } else {
    std::fprintf(stderr, "parameter_servers_benchmark rates|losses\n");
    return 2;
  }
}
