#include "tandem/report/training_plot.h"

#include <c10/util/StringUtil.h>

#include <numeric>
#include <string_view>

#include "tandem/core/error.h"

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

std::vector<Curve> training_curves(const Series& history, int64_t first_epoch) {
  std::vector<Curve> curves;
  const auto add = [&](const std::string& name, const std::vector<double>& values) {
    if (values.empty()) return;
    Curve curve{label_of(name), std::vector<double>(values.size()), values};
    std::iota(curve.x.begin(), curve.x.end(), static_cast<double>(first_epoch));
    curves.push_back(std::move(curve));
  };
  for (const char* loss : {"loss", "val_loss"}) {
    for (const auto& [name, values] : history) {
      if (name == loss) add(name, values);
    }
  }
  for (const bool validation : {false, true}) {
    for (const auto& [name, values] : history) {
      if (is_accuracy(name) && name.starts_with(kValidation) == validation) add(name, values);
    }
  }
  if (curves.empty()) {
    std::string names;
    for (const auto& series : history) names += (names.empty() ? "" : ", ") + series.first;
    throw InvalidArgument(c10::str("plot_history: the history must hold values of loss or accuracy; it holds ",
                                   names.empty() ? "nothing" : names));
  }
  return curves;
}

void plot_history(const Series& history, const std::string& path, PlotOptions options, int64_t first_epoch) {
  if (options.x_label.empty()) options.x_label = "Epoch #";
  if (options.y_label.empty()) options.y_label = "Loss/Accuracy";
  plot_curves(training_curves(history, first_epoch), path, std::move(options));
}

}  // namespace tandem::report
