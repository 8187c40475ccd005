// tandem summary MODEL: Keras's table of layers.
#include <CLI/CLI.hpp>

#include "commands.h"
#include "exit_status.h"
#include "model_argument.h"
#include "numbers.h"
#include "tandem/zoo/catalog.h"

namespace tandem::cli {

void add_summary(CLI::App& app, Run& run) {
  auto* command = app.add_subcommand("summary", "Show a model's layers, shapes and numbers of weights");
  auto name = std::make_shared<std::string>();
  auto classes = std::make_shared<int64_t>(10);
  command->footer("Example: tandem summary minigooglenet");
  add_model(*command, *name);
  command->add_option("--classes", *classes, "Classes of its output")
      ->capture_default_str()
      ->transform(whole_number(1));
  command->callback([=, &run] {
    run = [=] {
      check_model(*name);
      zoo::make(*name, *classes).model.summary();
      return kOk;
    };
  });
}

}  // namespace tandem::cli
