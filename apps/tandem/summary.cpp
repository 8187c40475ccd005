// tandem summary MODEL: Keras's table of layers, and with --plot a picture of them.
#include <CLI/CLI.hpp>
#include <optional>

#include "commands.h"
#include "exit_status.h"
#include "model_argument.h"
#include "numbers.h"
#include "result_files.h"
#include "tandem/core/log.h"
#include "tandem/model/plot_model.h"

namespace tandem::cli {
namespace {

struct SummaryArguments {
  std::string model, plot;
  std::optional<int64_t> classes;
};

int summary(const SummaryArguments& a) {
  check_model(a.model);
  check_plot_file(a.plot);
  const auto model = open_model(a.model, a.classes).model;
  model.summary();
  if (!a.plot.empty()) {
    saved([&] { plot_model(model, a.plot, {.show_shapes = true, .show_layer_names = true}); });
    log_info("wrote " + a.plot);
  }
  return kOk;
}

}  // namespace

void add_summary(CLI::App& app, Run& run) {
  auto* command = app.add_subcommand("summary", "Show a model's layers, shapes and numbers of weights");
  auto a = std::make_shared<SummaryArguments>();
  command->footer("Example: tandem summary minigooglenet --plot model.svg");
  add_model(*command, a->model);
  command->add_option("--classes", a->classes, "Classes of a zoo model's output (default: 10)")
      ->transform(whole_number(1));
  command->add_option("--plot", a->plot, "Picture of the layers: .png, .svg or .pdf");
  command->callback([a, &run] { run = [a] { return summary(*a); }; });
}

}  // namespace tandem::cli
