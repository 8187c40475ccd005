// tandem evaluate MODEL: loss and metrics on a data set's test part.
#include <c10/util/StringUtil.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <iostream>
#include <optional>

#include "commands.h"
#include "data_argument.h"
#include "device_arguments.h"
#include "exit_status.h"
#include "messages.h"
#include "model_argument.h"
#include "numbers.h"
#include "result_files.h"
#include "tandem/core/error.h"
#include "tandem/core/log.h"
#include "tandem/model/body.h"

namespace tandem::cli {
namespace {

struct EvaluateArguments {
  std::string model, data = "digits", weights;
  DeviceArguments where;
  std::optional<std::string> loss;
  std::optional<std::vector<std::string>> metrics;
  std::optional<int64_t> steps;
  std::optional<int64_t> batch_size;
  bool json = false;
};

// What a file says holds where no flag names something else; a zoo model has its recipe's loss.
void compile(const EvaluateArguments& a, LoadedModel& loaded) {
  auto& model = loaded.model;
  const bool as_saved = loaded.from_file && model.body().compiled();
  if (as_saved && !a.loss && !a.metrics) return;
  if (loaded.from_file && !as_saved && !a.loss)
    throw InvalidArgument("--loss: must be named, since " + a.model + " is not compiled");
  CompileOptions options{.optimizer = "sgd", .loss = a.loss.value_or(loaded.recipe.loss)};
  if (as_saved && !a.loss) options = *model.body().compile_options();
  options.metrics = {};
  options.weighted_metrics = {};
  for (const auto& metric : a.metrics.value_or(std::vector<std::string>{"accuracy"}))
    options.metrics.emplace_back(metric);
  model.compile(options);
}

void print(const Logs& logs, bool json) {
  if (json) {
    Config figures = Config::object();
    // JSON has no NaN and no infinity.
    for (const auto& [name, value] : logs) figures.set(name, std::isfinite(value) ? Config(value) : Config());
    std::cout << figures.to_json() << "\n";
    return;
  }
  const char* separator = "";
  for (const auto& [name, value] : logs) {
    std::cout << separator << name << ": " << value;
    separator = " - ";
  }
  std::cout << "\n";
}

int evaluate(const EvaluateArguments& a) {
  install_log_sink(a.json);
  if (a.json) check_json();
  const auto strategy = a.where.make(a.where.resolve());
  if (!strategy->leads()) install_log_sink(true);
  check_model(a.model);
  if (a.loss) Loss::make(*a.loss);
  auto data = load_data(a.data);
  auto loaded = open_model(a.model, is_zoo_model(a.model) ? std::optional(data.outputs()) : std::nullopt,
                           {.compile = !a.loss, .strategy = strategy});
  auto& model = loaded.model;
  if (!a.weights.empty()) model.load_weights(a.weights);
  if (data.at_shape) data = data.at_shape(input_shape(model));
  auto rows = data.validation.value_or(data.train);
  for (const auto& line : prepare_images(loaded, rows.get(0).x[0])) log_info(line);
  compile(a, loaded);
  rows = with_targets_of(loaded, rows, data.classes);
  const auto figures = model.evaluate(
      rows,
      {.batch_size = a.batch_size.value_or(batch_size_of(model, 64)), .verbose = 0, .steps = a.steps.value_or(-1)});
  if (strategy->leads()) print(figures, a.json);
  return kOk;
}

}  // namespace

void add_evaluate(CLI::App& app, Run& run) {
  auto* command = app.add_subcommand("evaluate", "Loss and metrics of a model on data");
  auto a = std::make_shared<EvaluateArguments>();
  command->footer("Example: tandem evaluate model.keras --data npy:x.npy,y.npy --json");
  add_model(*command, a->model);
  command->add_option("--data", a->data, std::string(kDataForms) + "; the test part where there is one")
      ->capture_default_str();
  command->add_option("--weights", a->weights,
                      "Weights to load first: a .weights.h5, .safetensors, .h5 or .keras file");
  a->where.add_to(*command);
  command
      ->add_option("--batch-size", a->batch_size,
                   "Rows of a step over all devices (default: 64, or a stateful model's)")
      ->transform(whole_number(1));
  command->add_option("--steps", a->steps, "Batches (default: all)")->transform(whole_number(1));
  command->add_option("--loss", a->loss, "A loss by Keras's name (default: the file's or the recipe's)");
  command->add_option("--metrics", a->metrics, "Metrics by Keras's names, separated by commas (default: the file's)")
      ->delimiter(',')
      ->allow_extra_args(false);
  command->add_flag("--json", a->json, "Print one JSON object");
  command->callback([a, &run] { run = [a] { return evaluate(*a); }; });
}

}  // namespace tandem::cli
