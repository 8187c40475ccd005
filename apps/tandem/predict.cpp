// tandem predict MODEL: outputs for rows of .npy files or for a picture.
#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include <CLI/CLI.hpp>
#include <optional>

#include "commands.h"
#include "device_arguments.h"
#include "exit_status.h"
#include "messages.h"
#include "model_argument.h"
#include "numbers.h"
#include "result_files.h"
#include "tandem/core/atomic_file.h"
#include "tandem/core/error.h"
#include "tandem/core/log.h"
#include "tandem/data/image_file.h"
#include "tandem/data/npy.h"

namespace tandem::cli {
namespace {

struct PredictArguments {
  std::string model, input, output, weights;
  DeviceArguments where;
  std::optional<int64_t> classes;
  std::optional<int64_t> batch_size;
  int64_t verbose = 1;
};

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const auto end = std::min(text.find(separator, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

Tensors read_inputs(const std::string& argument) {
  Tensors inputs;
  for (const auto& path : split(argument, '+')) {
    if (path.empty())
      throw InvalidArgument(c10::str("--input: must name a file on each side of a +, got '", argument, "'"));
    inputs.push_back(path.ends_with(".npy") ? load_npy(path, {.memory_map = true}) : load_image(path).unsqueeze(0));
  }
  return inputs;
}

// "y.npy" for one output; "y0.npy", "y1.npy", ... for several.
std::string numbered(const std::string& path, int64_t i, int64_t count) {
  if (count == 1) return path;
  return c10::str(path.substr(0, path.size() - 4), i, ".npy");
}

int predict(const PredictArguments& a) {
  install_log_sink(a.verbose == 0);
  if (!a.output.ends_with(".npy") || a.output.size() == 4)
    throw InvalidArgument(c10::str("--output: must be a .npy file, got '", a.output, "'"));
  const auto strategy = a.where.make(a.where.resolve());
  if (strategy->leads()) {
    saved([&] { check_writable(a.output); });
  } else {
    install_log_sink(true);
  }
  auto loaded = open_model(a.model, a.classes, {.compile = false, .strategy = strategy});
  auto& model = loaded.model;
  if (!a.weights.empty()) model.load_weights(a.weights);
  const Tensors x = read_inputs(a.input);
  for (const auto& line : prepare_images(loaded, x[0])) log_info(line);
  const auto outputs =
      model.predict_all(data::TensorDataset(x), {.batch_size = a.batch_size.value_or(batch_size_of(model, 32))});
  if (!strategy->leads()) return kOk;
  for (int64_t i = 0; i < outputs.size(); ++i)
    saved([&] { save_npy(numbered(a.output, i, outputs.size()), outputs[i]); });
  return kOk;
}

}  // namespace

void add_predict(CLI::App& app, Run& run) {
  auto* command = app.add_subcommand("predict", "Write a model's outputs for rows or a picture");
  auto a = std::make_shared<PredictArguments>();
  command->footer("Example: tandem predict model.keras --input x.npy --output y.npy");
  add_model(*command, a->model);
  command->add_option("--input", a->input, "x.npy | x0.npy+x1.npy (several inputs) | picture.jpg or .png")->required();
  command->add_option("--output", a->output, "y.npy; several outputs go to y0.npy, y1.npy, ...")->required();
  command->add_option("--weights", a->weights,
                      "Weights to load first: a .weights.h5, .safetensors, .h5 or .keras file");
  command->add_option("--classes", a->classes, "Classes of a zoo model (default: 10)")->transform(whole_number(1));
  a->where.add_to(*command);
  command
      ->add_option("--batch-size", a->batch_size,
                   "Rows of a step over all devices (default: 32, or a stateful model's)")
      ->transform(whole_number(1));
  command->add_option("--verbose", a->verbose, "0: say nothing but errors")
      ->capture_default_str()
      ->transform(whole_number(0, 1));
  command->callback([a, &run] { run = [a] { return predict(*a); }; });
}

}  // namespace tandem::cli
