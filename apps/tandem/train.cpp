// tandem train MODEL: a zoo model on a named data set. What the model's recipe says holds where no flag names something else.
#include <c10/util/StringUtil.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <iostream>
#include <optional>

#include "augment_argument.h"
#include "commands.h"
#include "data_argument.h"
#include "device_arguments.h"
#include "exit_status.h"
#include "tandem/core/atomic_file.h"
#include "tandem/core/error.h"
#include "tandem/core/log.h"
#include "tandem/data/one_hot.h"
#include "tandem/optimizers/polynomial_decay.h"
#include "tandem/optimizers/sgd.h"
#include "tandem/report/drawing.h"
#include "tandem/report/history_json.h"
#include "tandem/report/training_plot.h"
#include "tandem/zoo/catalog.h"

namespace tandem::cli {
namespace {

struct TrainArguments {
  std::string model, data = "digits", optimizer = "sgd", output, history;
  DeviceArguments where;
  std::optional<std::string> augment, loss, schedule;
  std::optional<int64_t> epochs;
  std::optional<double> learning_rate, momentum;
  std::vector<std::string> metrics{"accuracy"};
  std::optional<int64_t> seed;
  int64_t batch_size = 0, steps = -1, verbose = 1;
  bool no_shuffle = false, mean_image = false, no_mean_image = false;
};

Handle<Optimizer> make_optimizer(const TrainArguments& a, const zoo::Recipe& recipe, int64_t updates) {
  const double rate = a.learning_rate.value_or(recipe.learning_rate);
  const double momentum = a.momentum.value_or(recipe.momentum);
  const std::string schedule = a.schedule.value_or(recipe.schedule);
  if (a.optimizer != "sgd") {
    Optimizer::make(a.optimizer);  // an unknown name says so
    throw InvalidArgument(c10::str("--optimizer ", a.optimizer, ": must be sgd"));
  }
  if (schedule == "polynomial") {
    return optimizers::SGD({.learning_rate = schedules::PolynomialDecay(rate, updates, {.end_learning_rate = 0}), .momentum = momentum});
  }
  if (!schedule.empty() && schedule != "none") throw_unknown_name("--schedule", schedule, {"polynomial", "none"});
  return optimizers::SGD({.learning_rate = rate, .momentum = momentum});
}

data::TransformHandle make_augmentation(const TrainArguments& a, const zoo::Recipe& recipe) {
  if (a.augment) return parse_augmentation(*a.augment);
  std::string usual = recipe.shift > 0 ? c10::str("shift=", recipe.shift) : "";
  if (recipe.flip) usual += usual.empty() ? "flip" : ",flip";
  return parse_augmentation(usual.empty() ? "none" : usual);
}

void check_positive(const char* flag, int64_t value) {
  if (value < 1) throw InvalidArgument(c10::str(flag, ": must be at least 1, got ", value));
}

void save(const TrainArguments& a, const History& history) {
  if (!a.output.empty()) {
    report::plot_history(history.series(), a.output, {.title = "Training of " + a.model + " on " + a.data.substr(0, a.data.find(':'))});
    log_info("wrote " + a.output);
  }
  if (!a.history.empty()) {
    report::write_history(history.series(), a.history);
    log_info("wrote " + a.history);
  }
}

int train(const TrainArguments& a) {
  if (a.seed) set_random_seed(*a.seed);
  const auto devices = a.where.resolve();
  const int64_t batch_size = a.batch_size ? a.batch_size : 64 * devices.size();
  check_positive("--batch-size", batch_size);
  if (a.steps != -1) check_positive("--steps", a.steps);
  if (!a.output.empty()) report::check_drawing_file(a.output);  // rather now than after the training
  if (!a.history.empty()) check_writable(a.history);

  auto data = load_data(a.data);
  auto [model, recipe] = zoo::make(a.model, data.classes);
  const int64_t epochs = a.epochs.value_or(recipe.epochs);
  check_positive("--epochs", epochs);
  const std::string loss = a.loss.value_or(recipe.loss);
  const auto augmentation = make_augmentation(a, recipe);

  const Shape input = model.network()->input_shapes().front().without_batch();
  const auto preprocessing = a.mean_image || (recipe.mean_image && !a.no_mean_image)
                                 ? data::Preprocessing::fit_mean(data.train, input)
                                 : data::Preprocessing::adapt(Shape::of(data.train.get(0).x[0].sizes().vec()).without_batch(), input);
  for (const auto& line : preprocessing.describe()) log_info(line);
  model.set_preprocessing(preprocessing);
  if (loss == "categorical_crossentropy") {
    data.train = data.train.map(data::OneHot(data.classes));
    data.test = data.test.map(data::OneHot(data.classes));
  }
  auto rows = a.no_shuffle ? data.train : data.train.shuffle();
  rows = rows.batch(batch_size);
  const int64_t updates = epochs * (a.steps > 0 ? a.steps : rows.batches());

  CompileOptions compile{.optimizer = make_optimizer(a, recipe, updates), .loss = loss, .strategy = a.where.make(devices)};
  for (const auto& metric : a.metrics) compile.metrics.emplace_back(metric);
  model.compile(compile);
  const auto history = model.fit(rows, {.epochs = epochs,
                                        .verbose = a.verbose,
                                        .validation_data = data.test.batch(batch_size),
                                        .steps_per_epoch = a.steps,
                                        .augmentation = augmentation});
  try {
    save(a, history);
  } catch (const Error& error) {
    std::cerr << "tandem: " << error.what() << "\n";
    return kNotSaved;
  }
  const auto& losses = history["loss"];
  if (!losses.empty() && !std::isfinite(losses.back())) {
    std::cerr << "tandem: the loss ended as " << losses.back() << "; try a smaller --learning-rate\n";
    return kFailed;
  }
  return kOk;
}

}  // namespace

void add_train(CLI::App& app, Run& run) {
  auto* command = app.add_subcommand("train", "Train a model and show how it goes");
  auto a = std::make_shared<TrainArguments>();
  command->footer("Example: tandem train minigooglenet --data digits --devices 'cpu*2' --epochs 10 --output plot.png");
  command->add_option("model", a->model, "A model of the zoo: minigooglenet")->required();
  command->add_option("--data", a->data, "digits (built in) | cifar10[:DIR]")->capture_default_str();
  a->where.add_to(*command);
  command->add_option("--epochs", a->epochs, "Passes over the data (default: the recipe's)");
  command->add_option("--steps", a->steps, "Batches of an epoch (default: all)");
  command->add_option("--batch-size", a->batch_size, "Rows of a step over all devices (default: 64 a device)")->check([](const std::string& text) {
    return text == "0" ? std::string("must be at least 1, got 0") : std::string();
  });
  command->add_option("--optimizer", a->optimizer, "sgd")->capture_default_str();
  command->add_option("--learning-rate", a->learning_rate, "Rate at the beginning (default: the recipe's)");
  command->add_option("--momentum", a->momentum, "Momentum of sgd (default: the recipe's)");
  command->add_option("--schedule", a->schedule, "polynomial (to 0 over the training) | none (default: the recipe's)");
  command->add_option("--loss", a->loss, "A loss by Keras's name (default: the recipe's)");
  command->add_option("--metrics", a->metrics, "Metrics by Keras's names")->delimiter(',')->capture_default_str();
  command->add_option("--augment", a->augment, "shift=F,flip | none (default: the recipe's)");
  auto* mean = command->add_flag("--mean-image", a->mean_image, "Subtract the training set's mean image (default: the recipe's)");
  command->add_flag("--no-mean-image", a->no_mean_image, "Leave it out")->excludes(mean);
  command->add_flag("--no-shuffle", a->no_shuffle, "Keep the order of the rows");
  command->add_option("--seed", a->seed, "Makes the run repeatable");
  command->add_option("-o,--output", a->output, "Plot of loss and accuracy: .png, .svg or .pdf");
  command->add_option("--history", a->history, "Figures by epoch: .json or .csv");
  command->add_option("--verbose", a->verbose, "0 nothing, 1 a progress bar, 2 a line an epoch")->capture_default_str()->check(CLI::Range(0, 2));
  command->callback([a, &run] { run = [a] { return train(*a); }; });
}

}  // namespace tandem::cli
