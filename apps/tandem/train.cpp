// tandem train MODEL: a model of the zoo or from a file. What the zoo's recipe or the file says holds where no flag
// names something else.
#include <c10/util/StringUtil.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <functional>
#include <iostream>
#include <optional>
#include <sstream>

#include "augment_argument.h"
#include "commands.h"
#include "compile_arguments.h"
#include "data_argument.h"
#include "device_arguments.h"
#include "exit_status.h"
#include "host_arguments.h"
#include "interruption.h"
#include "messages.h"
#include "model_argument.h"
#include "numbers.h"
#include "result_files.h"
#include "sidecar.h"
#include "tandem/callbacks/trace.h"
#include "tandem/cluster/who_am_i.h"
#include "tandem/core/log.h"
#include "tandem/data/preprocessing.h"
#include "tandem/model/training_job.h"
#include "tandem/model/weights_sha256.h"
#include "tandem/zoo/catalog.h"

namespace tandem::cli {
namespace {

struct TrainArguments {
  std::string model, data = "digits", weights;
  HostArguments job;
  DeviceArguments where;
  CompileArguments how;
  ResultFiles results;
  std::optional<std::string> augment;
  std::optional<int64_t> epochs, steps, batch_size, seed;
  std::optional<double> validation_split;
  std::optional<int64_t> evaluate_every;
  int64_t accumulate = 1, verbose = 1;
  bool no_shuffle = false, mean_image = false, no_mean_image = false;
};

// Says what is done to the images, once fit has said where it runs.
class Announcement : public Callback {
 public:
  explicit Announcement(std::vector<std::string> lines) : lines_(std::move(lines)) {}
  void on_train_begin(Logs&) override {
    for (const auto& line : lines_) log_info(line);
  }

 private:
  std::vector<std::string> lines_;
};

// Calls `then` when the training begins, once all processes that it needs have been met.
class AtBegin : public Callback {
 public:
  void on_train_begin(Logs&) override { then(); }

  std::function<void()> then;
};

// Everything that can be said to be wrong before files are read.
void check(const TrainArguments& a) {
  check_model(a.model);
  a.how.check(is_zoo_model(a.model) ? zoo::recipe(a.model) : zoo::Recipe{});
  if (a.augment) parse_augmentation(*a.augment);
}

data::TransformHandle make_augmentation(const TrainArguments& a, const zoo::Recipe& recipe) {
  if (a.augment) return parse_augmentation(*a.augment);
  std::string usual = recipe.shift > 0 ? c10::str("shift=", recipe.shift) : "";
  if (recipe.flip) usual += usual.empty() ? "flip" : ",flip";
  return parse_augmentation(usual.empty() ? "none" : usual);
}

// Sets what is done to pictures, and says it in lines for the log.
std::vector<std::string> prepare_training_images(const TrainArguments& a, LoadedModel& loaded, const Dataset& rows) {
  const bool mean = a.mean_image || (loaded.recipe.mean_image && !a.no_mean_image);
  if (!mean) return prepare_images(loaded, rows.get(0).x[0]);
  const auto images = data::Preprocessing::fit_mean(rows, input_shape(loaded.model)).rescale(loaded.recipe.rescale);
  loaded.model.set_preprocessing(images);
  return images.describe();
}

// Trains until the end, or the first SIGINT or SIGTERM. Before it has begun these end the process at once: it may wait
// for others that never come.
History run(const Model& model, const Dataset& data, FitOptions options, Interruption& interruption) {
  const auto begin = std::make_shared<AtBegin>();
  options.callbacks.push_back(begin);
  const auto job = std::make_shared<TrainingJob>(model, data, options);
  begin->then = [&] {
    interruption.on_signal([job] {
      job->request_stop();
      // Standard output is left alone: where nobody reads it, flushing would keep the next signal waiting. On a
      // terminal the cursor is in the progress bar's line.
      std::cerr << (isatty(STDERR_FILENO) ? "\n" : "") +
                       std::string(
                           "tandem: interrupted: training ends after this step; another signal leaves at once\n");
    });
  };
  job->start();
  return job->wait();
}

// What nobody would heed.
void check_role(const TrainArguments& a) {
  const auto self = cluster::who_am_i(cluster::Environment());
  const bool served = a.where.strategy == "parameter-server";
  if (self.trains() && !self.servers.empty() && !served)
    throw InvalidArgument(c10::str("this job has parameter servers (", self.source,
                                   "): its workers must have --strategy parameter-server, got ",
                                   a.where.strategy.empty() ? "none" : a.where.strategy));
  if (!a.evaluate_every || !self.trains()) return;
  if (!served || self.servers.empty())
    throw InvalidArgument(
        c10::str("--evaluate-every: must be given in a job with parameter servers and an evaluator, "
                 "which evaluates every ",
                 *a.evaluate_every, " updates; this is ", self.source));
  if (self.evaluators.empty() && self.rank == 0)
    log_warning("--evaluate-every: the job names no evaluator; it counts for one that comes by itself");
}

int train(const TrainArguments& a) {
  a.job.apply();
  if (is_ps()) {
    if (a.where.strategy == "parameter-server") return serve_as_ps(a.where.server_sync, a.where.sync_every.value_or(1));
    throw InvalidArgument(
        "this process is a ps of its job: it serves with --strategy parameter-server, and trains with none");
  }
  const bool evaluates = is_evaluator();
  if (evaluates && a.where.strategy != "parameter-server")
    throw InvalidArgument(
        "this process is an evaluator of its job: it evaluates what parameter servers have, with --strategy "
        "parameter-server, and nothing without");
  Interruption interruption;
  install_log_sink(a.verbose == 0);
  check_role(a);
  const auto strategy = evaluates ? a.where.make_for_evaluator(a.where.resolve()) : a.where.make(a.where.resolve());
  check(a);
  const bool leads = strategy->leads();  // of several processes one prints and writes
  const auto results = evaluates ? of_evaluator(a.results) : a.results;
  if (leads) results.check();
  if (!leads) install_log_sink(true);
  if (a.seed) set_random_seed(*a.seed);
  auto data = load_data(a.data);
  auto loaded =
      open_model(a.model, is_zoo_model(a.model) ? std::optional(data.outputs()) : std::nullopt, {.strategy = strategy});
  auto& [model, recipe, from_file] = loaded;
  if (!a.weights.empty()) model.load_weights(a.weights);
  if (data.at_shape) data = data.at_shape(input_shape(model));
  if (a.validation_split) data = split_validation(data, *a.validation_split);

  auto announced = prepare_training_images(a, loaded, data.train);
  for (const auto& line : data.describe()) announced.push_back(line);
  // In fixed order one number for any number of devices.
  const int64_t parts = a.where.fixed_order > 0 ? a.where.fixed_order : strategy->all_devices();
  const int64_t batch_size = a.batch_size.value_or(batch_size_of(model, recipe.batch_size * parts));
  const int64_t epochs = a.epochs.value_or(recipe.epochs);
  const int64_t batches = data.train.batch(batch_size).batches();
  const int64_t steps = std::min(a.steps.value_or(batches), batches);
  const int64_t updates = epochs * ((steps + a.accumulate - 1) / a.accumulate);
  if (from_file) {
    a.how.compile_file_model(model, a.model, data.classes > 0, updates);
  } else {
    a.how.compile_zoo_model(model, recipe, updates);
  }
  if (leads && a.verbose > 0) {
    std::istringstream plan(strategy->plan(*model.network()));
    for (std::string line; std::getline(plan, line);) announced.push_back(line);
  }
  const auto targets = [&](const Dataset& rows) {
    return with_targets_of(loaded, rows, data.classes).batch(batch_size);
  };
  if (evaluates) {
    if (!data.validation) throw InvalidArgument("--data: an evaluator needs a test part, or --validation-split");
    for (const auto& line : announced) log_info(line);
    return evaluate_beside(
        model, targets(*data.validation),
        {.batch_size = batch_size, .evaluate_every = a.evaluate_every.value_or(1), .verbose = a.verbose}, results,
        interruption);
  }
  FitOptions options{.epochs = epochs,
                     .verbose = a.verbose,
                     .callbacks = {std::make_shared<Announcement>(announced)},
                     .validation_data = data.validation ? targets(*data.validation) : ValidationData(),
                     .steps_per_epoch = a.steps.value_or(-1),
                     .augmentation = make_augmentation(a, recipe),
                     .accumulate = a.accumulate};
  if (!results.trace.empty()) options.callbacks.push_back(callbacks::Trace(results.trace));
  const auto history = run(model, targets(a.no_shuffle ? data.train : data.train.shuffle()), options, interruption);
  if (leads && a.where.fixed_order > 0) std::cout << "SHA-256 of the weights: " << weights_sha256(model) << "\n";
  if (leads) {
    results.write(model, history, "Training of " + a.model + " on " + a.data.substr(0, a.data.find(':')));
  } else {
    results.write_model(model);
  }

  if (interruption.signal() != 0) return 128 + interruption.signal();
  if (history.count("loss") == 0) return kOk;  // another process was interrupted before this one's first step
  const auto& losses = history["loss"];
  const auto bad = std::find_if(losses.begin(), losses.end(), [](double value) { return !std::isfinite(value); });
  if (bad == losses.end()) return kOk;
  print_error(
      c10::str("the loss of epoch ", bad - losses.begin() + 1, " is ", *bad, "; try a smaller --learning-rate"));
  return kFailed;
}

}  // namespace

void add_train(CLI::App& app, Run& run) {
  auto* command = app.add_subcommand("train", "Train a model and show how it goes");
  auto a = std::make_shared<TrainArguments>();
  command->footer("Example: tandem train minigooglenet --data digits --devices 'cpu*2' --epochs 10 --output plot.png");
  add_model(*command, a->model);
  command->add_option("--data", a->data, kDataForms)->capture_default_str();
  command->add_option("--weights", a->weights,
                      "Weights to begin with: a .weights.h5, .safetensors, .h5 or .keras file");
  a->job.add_to(*command);
  a->job.add_key_to(*command);
  a->where.add_to(*command);
  a->where.add_training_to(*command);
  command->add_option("--epochs", a->epochs, "Passes over the data (default: the recipe's)")
      ->transform(whole_number(1));
  command->add_option("--steps", a->steps, "Batches of an epoch (default: all)")->transform(whole_number(1));
  command
      ->add_option("--batch-size", a->batch_size,
                   "Rows of a step over all devices (default: the recipe's for each, 64 unless it says otherwise)")
      ->transform(whole_number(1));
  a->how.add_to(*command);
  command->add_option("--augment", a->augment, kAugmentForms);
  auto* mean = command->add_flag("--mean-image", a->mean_image,
                                 "Subtract the training set's mean image (default: the recipe's)");
  command->add_flag("--no-mean-image", a->no_mean_image, "Leave it out")->excludes(mean);
  command
      ->add_option("--accumulate", a->accumulate,
                   "Batches that make one update together; the last one of an epoch ends its group")
      ->capture_default_str()
      ->transform(whole_number(1));
  command
      ->add_option("--evaluate-every", a->evaluate_every,
                   "Of an evaluator beside parameter servers: updates from one evaluation to the next (default: 1)")
      ->transform(whole_number(1));
  command->add_flag("--no-shuffle", a->no_shuffle, "Keep the order of the rows");
  command
      ->add_option("--validation-split", a->validation_split,
                   "The last share of the training rows validates, instead of the test part")
      ->transform(real_number(0, 1));
  command->add_option("--seed", a->seed, "Makes the run repeatable")->transform(whole_number(0));
  a->results.add_to(*command);
  command->add_option("--verbose", a->verbose, "0 nothing, 1 a progress bar, 2 a line an epoch")
      ->capture_default_str()
      ->transform(whole_number(0, 2));
  command->callback([a, &run] { run = [a] { return train(*a); }; });
}

}  // namespace tandem::cli
