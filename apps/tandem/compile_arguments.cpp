#include "compile_arguments.h"

#include <c10/util/StringUtil.h>

#include <CLI/CLI.hpp>

#include "tandem/core/error.h"
#include "tandem/core/log.h"
#include "tandem/model/body.h"

namespace tandem::cli {
namespace {

const std::vector<std::string> kUsualMetrics{"accuracy"};

// The settings of an optimizer as those of a recipe.
zoo::Recipe recipe_with(const Optimizer& optimizer) {
  zoo::Recipe recipe{.optimizer = optimizer.class_name(), .learning_rate = optimizer.learning_rate(0)};
  const Config config = optimizer.get_config();
  for (const auto& [key, value] : config.as_object()) {
    if (key != "learning_rate") recipe.settings.set(key, value);
  }
  return recipe;
}

}  // namespace

void CompileArguments::add_to(CLI::App& command) {
  optimizer.add_to(command);
  command.add_option("--loss", loss, "A loss by Keras's name (default: the recipe's or the file's)");
  command
      .add_option("--metrics", metrics,
                  "Metrics by Keras's names, separated by commas (default: accuracy, or the file's)")
      ->delimiter(',')
      ->allow_extra_args(false);
  command.add_option("--precision", precision,
                     "float32, mixed_bfloat16 or mixed_float16: what layers compute in (default: float32, or as the "
                     "file's layers)");
}

void CompileArguments::check(const zoo::Recipe& recipe) const {
  optimizer.check(recipe);
  if (loss) Loss::make(*loss);
  if (precision) static_cast<void>(DTypePolicy(*precision));
  for (const auto& metric : metrics.value_or(kUsualMetrics))
    Metric::make_for(metric, {Shape::kUnknown, 2}, {Shape::kUnknown, 2});
}

// With several outputs each has all of them.
MetricsArgument CompileArguments::metrics_of(const std::vector<std::string>& names, std::size_t outputs) const {
  const MetricsArgument::List list(names.begin(), names.end());
  if (outputs == 1) return list;
  return MetricsArgument::by_output(std::vector<MetricsArgument::List>(outputs, list));
}

void CompileArguments::compile_zoo_model(Model& model, const zoo::Recipe& recipe, int64_t updates) const {
  model.compile(
      {.optimizer = optimizer.make(recipe, updates),
       .loss = loss.value_or(recipe.loss),
       .metrics = metrics_of(metrics.value_or(recipe.reconstructs ? std::vector<std::string>() : kUsualMetrics), 1),
       .precision = precision.value_or("")});
}

void CompileArguments::compile_file_model(Model& model, const std::string& path, bool class_ids,
                                          int64_t updates) const {
  ModelBody& body = model.body();
  const bool compiled = body.compiled();
  if (!compiled && !loss) throw InvalidArgument(c10::str("--loss: must be named, since ", path, " is not compiled"));
  CompileOptions options = compiled ? *body.compile_options() : CompileOptions{};
  const auto own = options.optimizer.get();
  bool keeps_optimizer = compiled && !optimizer.any();
  if (compiled && optimizer.only_rate() && !own->rate().is_schedule()) {
    own->set_learning_rate(*optimizer.learning_rate);
    keeps_optimizer = true;
  }
  if (!keeps_optimizer) {
    if (own->rate().is_schedule() && !optimizer.sets_rate()) {
      throw InvalidArgument(
          c10::str("--momentum: the rate of ", path, " follows a schedule; give --schedule or --learning-rate, too"));
    }
    options.optimizer = optimizer.make(recipe_with(*own), updates);
  }
  const std::size_t outputs = model.network()->output_names().size();
  if (loss) options.loss = *loss;
  if (metrics || (!compiled && class_ids)) options.metrics = metrics_of(metrics.value_or(kUsualMetrics), outputs);
  if (precision) options.precision = *precision;
  if (keeps_optimizer && !loss && !metrics && !precision) return;
  const auto state =
      keeps_optimizer && body.trainer().has_state() ? std::optional(body.optimizer_state()) : std::nullopt;
  model.compile(options);
  if (!state) return;
  const auto& now = *body.trainer().parts().optimizer;
  if (now.class_name() == own->class_name()) {
    body.set_optimizer_state(*state);
  } else {
    log_info(c10::str("the optimizer is now ", now.class_name(), ", whose state begins anew"));
  }
}

}  // namespace tandem::cli
