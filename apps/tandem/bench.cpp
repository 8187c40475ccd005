// tandem bench train MODEL: images a second of training steps through fit, on rows that are made up beforehand.
#include <ATen/ATen.h>
#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <iomanip>
#include <iostream>

#include "commands.h"
#include "device_arguments.h"
#include "exit_status.h"
#include "model_argument.h"
#include "numbers.h"
#include "result_files.h"
#include "tandem/core/config.h"
#include "tandem/core/error.h"
#include "tandem/data/subset_source.h"
#include "tandem/data/to_categorical.h"
#include "tandem/zoo/catalog.h"

namespace tandem::cli {
namespace {

// Steps that are not counted: they fill caches, and after ten on several devices fit looks how fast one alone is.
constexpr int64_t kWarmUp = 3, kWarmUpOfSeveral = 11;

struct BenchArguments {
  std::string model, precision = "float32";
  DeviceArguments where;
  int64_t batch_size = 64, steps = 10;
  bool json = false;
};

// Time from the end of one step to the end of the next: all that a step costs, its input included.
class StepTimes : public Callback {
 public:
  explicit StepTimes(int64_t warm_up) : warm_up_(warm_up) {}
  void on_train_batch_end(int64_t batch, Logs&) override {
    const auto now = std::chrono::steady_clock::now();
    if (batch >= warm_up_) seconds.push_back(std::chrono::duration<double>(now - last_).count());
    last_ = now;
  }
  std::vector<double> seconds;

 private:
  const int64_t warm_up_;
  std::chrono::steady_clock::time_point last_;
};

double peak_rss_mb() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;  // Linux counts kilobytes
}

int bench(const BenchArguments& a) {
  check_zoo_model(a.model);
  if (a.json) check_json();
  static_cast<void>(DTypePolicy(a.precision));  // known, before anything is made
  const auto devices = a.where.resolve();
  set_random_seed(0);
  auto [model, recipe] = zoo::make(a.model, 10);
  const auto shape = model.network()->input_shapes().front();
  const auto random = random_root().fold("bench");
  const Tensor x = random.normal(shape.without_batch().with_batch(a.batch_size));
  const Tensor y = to_categorical(at::arange(a.batch_size).remainder(10), 10);
  const int64_t warm_up = devices.size() > 1 ? kWarmUpOfSeveral : kWarmUp;
  // The same rows every step, as the peers have it: what is measured is the step.
  std::vector<int64_t> numbers(static_cast<std::size_t>((a.steps + warm_up) * a.batch_size));
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<int64_t>(i) % a.batch_size;
  const Dataset rows(std::make_shared<data::SubsetSource>(data::TensorDataset(x, y).source(), std::move(numbers)));

  const auto strategy = a.where.make(devices);
  model.compile({.optimizer = recipe.make_optimizer(warm_up + a.steps),
                 .loss = recipe.loss,
                 .precision = a.precision,
                 .strategy = strategy});
  auto times = std::make_shared<StepTimes>(warm_up);
  model.fit(rows.batch(a.batch_size), {.verbose = 0, .callbacks = {times}});
  if (!strategy->leads()) return kOk;
  auto& seconds = times->seconds;
  std::sort(seconds.begin(), seconds.end());
  const double best = seconds.front(), median = seconds[seconds.size() / 2];
  const auto rate = [&](double s) { return static_cast<double>(a.batch_size) / s; };
  if (a.json) {
    const auto figures = Config::object({{"model", a.model},
                                         {"devices", devices.to_string()},
                                         {"batch_size", a.batch_size},
                                         {"precision", a.precision},
                                         {"steps", a.steps},
                                         {"images_per_second_best", rate(best)},
                                         {"images_per_second_median", rate(median)},
                                         {"step_ms", median * 1e3},
                                         {"peak_rss_mb", peak_rss_mb()}});
    std::cout << figures.to_json() << "\n";
  } else {
    std::cout << std::fixed << std::setprecision(1) << a.model << " on " << devices.to_string() << ", batch "
              << a.batch_size << ", " << a.precision << ": best " << rate(best) << " images/s, median " << rate(median)
              << " images/s, " << median * 1e3 << " ms a step, peak memory " << std::setprecision(0) << peak_rss_mb()
              << " MB\n";
  }
  return kOk;
}

}  // namespace

void add_bench(CLI::App& app, Run& run) {
  auto* command = app.add_subcommand("bench", "Measure");
  command->footer("Example: tandem bench train minigooglenet --json");
  command->require_subcommand(1);
  auto* train = command->add_subcommand("train", "Images a second of training steps");
  auto a = std::make_shared<BenchArguments>();
  train->footer("Example: tandem bench train minigooglenet --batch-size 64 --steps 10 --json");
  add_zoo_model(*train, a->model);
  train->add_option("--batch-size", a->batch_size, "Rows of a step over all devices")
      ->capture_default_str()
      ->transform(whole_number(1));
  train->add_option("--steps", a->steps, "Steps that are counted, after those that warm up")
      ->capture_default_str()
      ->transform(whole_number(1));
  train->add_option("--precision", a->precision, "float32, mixed_bfloat16 or mixed_float16")->capture_default_str();
  a->where.add_to(*train);
  train->add_flag("--json", a->json, "Print one JSON object");
  train->callback([a, &run] { run = [a] { return bench(*a); }; });
}

}  // namespace tandem::cli
