// tandem train MODEL: a zoo model on a named data set. What the model's recipe says holds where no flag names something
// else.
#include <c10/util/StringUtil.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <optional>

#include "augment_argument.h"
#include "commands.h"
#include "data_argument.h"
#include "device_arguments.h"
#include "exit_status.h"
#include "messages.h"
#include "model_argument.h"
#include "numbers.h"
#include "optimizer_arguments.h"
#include "result_files.h"
#include "tandem/core/log.h"
#include "tandem/data/one_hot.h"
#include "tandem/zoo/catalog.h"

namespace tandem::cli {
namespace {

struct TrainArguments {
  std::string model, data = "digits";
  DeviceArguments where;
  OptimizerArguments how;
  ResultFiles results;
  std::optional<std::string> augment, loss;
  std::optional<int64_t> epochs, steps, batch_size, seed;
  std::optional<double> validation_split;
  std::vector<std::string> metrics{"accuracy"};
  int64_t verbose = 1;
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

// Everything that can be said to be wrong before files are read.
void check(const TrainArguments& a) {
  check_zoo_model(a.model);
  a.how.check(zoo::recipe(a.model));
  if (a.loss) Loss::make(*a.loss);
  for (const auto& metric : a.metrics) Metric::make_for(metric, {Shape::kUnknown, 2}, {Shape::kUnknown, 2});
  if (a.augment) parse_augmentation(*a.augment);
  a.results.check();
}

data::TransformHandle make_augmentation(const TrainArguments& a, const zoo::Recipe& recipe) {
  if (a.augment) return parse_augmentation(*a.augment);
  std::string usual = recipe.shift > 0 ? c10::str("shift=", recipe.shift) : "";
  if (recipe.flip) usual += usual.empty() ? "flip" : ",flip";
  return parse_augmentation(usual.empty() ? "none" : usual);
}

data::Preprocessing make_preprocessing(const TrainArguments& a, const zoo::Recipe& recipe, const Model& model,
                                       const Dataset& rows) {
  const Shape input = model.network()->input_shapes().front().without_batch();
  const bool mean = a.mean_image || (recipe.mean_image && !a.no_mean_image);
  const auto images =
      mean ? data::Preprocessing::fit_mean(rows, input)
           : data::Preprocessing::adapt(Shape::of(rows.get(0).x[0].sizes().vec()).without_batch(), input);
  return images.rescale(recipe.rescale);
}

int train(const TrainArguments& a) {
  install_log_sink(a.verbose == 0);
  const auto devices = a.where.resolve();
  const auto strategy = a.where.make(devices);
  check(a);
  if (a.seed) set_random_seed(*a.seed);
  auto data = load_data(a.data);
  auto [model, recipe] = zoo::make(a.model, data.outputs());
  if (data.at_shape) data = data.at_shape(model.network()->input_shapes().front().without_batch());
  if (a.validation_split) data = split_validation(data, *a.validation_split);

  const auto preprocessing = make_preprocessing(a, recipe, model, data.train);
  model.set_preprocessing(preprocessing);
  const std::string loss = a.loss.value_or(recipe.loss);
  // Every other loss compares whole rows.
  if (data.classes > 0 && Loss::make(loss)->class_name() != "SparseCategoricalCrossentropy") {
    data.train = data.train.map(data::OneHot(data.classes));
    if (data.validation) data.validation = data.validation->map(data::OneHot(data.classes));
  }
  const int64_t batch_size = a.batch_size.value_or(recipe.batch_size * devices.size());
  const int64_t epochs = a.epochs.value_or(recipe.epochs);
  const auto rows = (a.no_shuffle ? data.train : data.train.shuffle()).batch(batch_size);
  const int64_t steps = std::min(a.steps.value_or(rows.batches()), rows.batches());

  CompileOptions compile{.optimizer = a.how.make(recipe, epochs * steps), .loss = loss, .strategy = strategy};
  for (const auto& metric : a.metrics) compile.metrics.emplace_back(metric);
  model.compile(compile);
  auto announced = preprocessing.describe();
  for (const auto& line : data.describe()) announced.push_back(line);
  const auto history =
      model.fit(rows, {.epochs = epochs,
                       .verbose = a.verbose,
                       .callbacks = {std::make_shared<Announcement>(announced)},
                       .validation_data = data.validation ? data.validation->batch(batch_size) : ValidationData(),
                       .steps_per_epoch = a.steps.value_or(-1),
                       .augmentation = make_augmentation(a, recipe)});
  a.results.write(history, "Training of " + a.model + " on " + a.data.substr(0, a.data.find(':')));

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
  add_zoo_model(*command, a->model);
  command->add_option("--data", a->data, kDataForms)->capture_default_str();
  a->where.add_to(*command);
  command->add_option("--epochs", a->epochs, "Passes over the data (default: the recipe's)")
      ->transform(whole_number(1));
  command->add_option("--steps", a->steps, "Batches of an epoch (default: all)")->transform(whole_number(1));
  command
      ->add_option("--batch-size", a->batch_size,
                   "Rows of a step over all devices (default: the recipe's for each, 64 unless it says otherwise)")
      ->transform(whole_number(1));
  a->how.add_to(*command);
  command->add_option("--loss", a->loss, "A loss by Keras's name (default: the recipe's)");
  command->add_option("--metrics", a->metrics, "Metrics by Keras's names, separated by commas")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->capture_default_str();
  command->add_option("--augment", a->augment, kAugmentForms);
  auto* mean = command->add_flag("--mean-image", a->mean_image,
                                 "Subtract the training set's mean image (default: the recipe's)");
  command->add_flag("--no-mean-image", a->no_mean_image, "Leave it out")->excludes(mean);
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
