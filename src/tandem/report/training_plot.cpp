#include "tandem/report/training_plot.h"

#include <c10/util/StringUtil.h>

#include <algorithm>
#include <string_view>

#include "tandem/core/error.h"
#include "tandem/report/history_json.h"

namespace tandem::report {
namespace {

constexpr std::string_view kValidation = "val_";
constexpr std::string_view kAccuracy = "accuracy";

// "val_accuracy" -> "val_acc", "loss" -> "train_loss".
std::string label_of(std::string_view name) {
  const bool is_validation = name.starts_with(kValidation);
  std::string label(is_validation ? name : "train_" + std::string(name));
  if (label.ends_with(kAccuracy)) label.resize(label.size() - kAccuracy.size() + 3);
  return label;
}

bool is_accuracy(std::string_view name) { return name.ends_with(kAccuracy) || name == "acc" || name == "val_acc"; }

}  // namespace

std::vector<Curve> training_curves(const std::vector<EpochFigures>& epochs) {
  std::vector<std::string> names;
  for (const auto& column : series_of(epochs)) names.push_back(column.first);
  std::vector<Curve> curves;
  const auto add = [&](const std::string& name) {
    Curve curve{label_of(name), {}, {}};
    for (const auto& [epoch, figures] : epochs) {
      if (!figures.contains(name)) continue;
      curve.x.push_back(static_cast<double>(epoch + 1));
      curve.y.push_back(figures.at(name));
    }
    curves.push_back(std::move(curve));
  };
  for (const char* loss : {"loss", "val_loss"}) {
    if (std::find(names.begin(), names.end(), loss) != names.end()) add(loss);
  }
  for (const bool validation : {false, true}) {
    for (const auto& name : names) {
      if (is_accuracy(name) && name.starts_with(kValidation) == validation) add(name);
    }
  }
  if (curves.empty()) {
    throw InvalidArgument(c10::str("plot_history: the history must hold values of loss or accuracy; it holds ",
                                   names.empty() ? "nothing" : c10::Join(", ", names)));
  }
  return curves;
}

void plot_history(const std::vector<EpochFigures>& epochs, const std::string& path, PlotOptions options) {
  if (options.x_label.empty()) options.x_label = "Epoch #";
  if (options.y_label.empty()) options.y_label = "Loss/Accuracy";
  plot_curves(training_curves(epochs), path, std::move(options));
}

}  // namespace tandem::report
