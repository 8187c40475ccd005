#include "result_files.h"

#include <CLI/CLI.hpp>

#include "tandem/core/atomic_file.h"
#include "tandem/core/config.h"
#include "tandem/core/log.h"
#include "tandem/report/drawing.h"
#include "tandem/report/history_json.h"
#include "tandem/report/training_plot.h"

namespace tandem::cli {

void saved(const std::function<void()>& act) {
  try {
    act();
  } catch (const DataError& error) {
    throw NotSaved(error.what());
  }
}

void check_plot_file(const std::string& path) {
  if (!path.empty()) saved([&] { report::check_drawing_file(path); });
}

void check_json() { Config().to_json(); }

void ResultFiles::add_to(CLI::App& command) {
  command.add_option("-o,--output", plot, "Plot of loss and accuracy: .png, .svg or .pdf");
  command.add_option("--history", history, "Figures by epoch: .json or .csv");
  command.add_option("--trace", trace,
                     "When layers computed on each device in the first batches: .json for chrome://tracing");
  command.add_option("--save", model, "The trained model: .keras, or its weights: .weights.h5 or .safetensors");
}

void ResultFiles::check() const {
  if (!history.empty() && !history.ends_with(".json") && !history.ends_with(".csv")) {
    throw InvalidArgument("--history: the file name must end in .json or .csv, got '" + history + "'");
  }
  check_plot_file(plot);
  if (!trace.empty() && !trace.ends_with(".json"))
    throw InvalidArgument("--trace: the file name must end in .json, got '" + trace + "'");
  if (history.ends_with(".json") || !trace.empty()) check_json();
  if (!trace.empty()) saved([&] { check_writable(trace); });
  if (!history.empty()) saved([&] { check_writable(history); });
  const bool known = model.ends_with(".keras") || model.ends_with(".weights.h5") || model.ends_with(".safetensors");
  if (!model.empty() && !known)
    throw InvalidArgument("--save: the file name must end in .keras, .weights.h5 or .safetensors, got '" + model + "'");
  if (!model.empty()) saved([&] { check_writable(model); });
}

void ResultFiles::write_model(const Model& trained) const {
  if (model.empty()) return;
  model.ends_with(".keras") ? trained.save(model) : trained.save_weights(model);
}

void ResultFiles::write(const Model& trained, const History& result, const std::string& title) const {
  std::string failures;
  const auto attempt = [&](const std::string& path, const std::function<void()>& write_file) {
    if (path.empty()) return;
    try {
      write_file();
      log_info("wrote " + path);
    } catch (const Error& error) {
      failures += (failures.empty() ? "" : "; ") + std::string(error.what());
    }
  };
  attempt(model, [&] { write_model(trained); });
  if (!plot.empty() && result.by_epoch().empty()) {
    log_warning("no plot: training ended before its first step");
  } else {
    attempt(plot, [&] { report::plot_history(result.by_epoch(), plot, {.title = title}); });
  }
  attempt(history, [&] { report::write_history(result.by_epoch(), history, result.interrupted()); });
  if (!failures.empty()) throw NotSaved(failures);
}

}  // namespace tandem::cli
