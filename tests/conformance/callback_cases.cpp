// Kind callback: what callbacks decide under scripted logs, when hooks are called, and what stops a training.
#include "callback_cases.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <functional>
#include <limits>
#include <sstream>

#include "scripted_training.h"
#include "tandem/callbacks/csv_logger.h"
#include "tandem/callbacks/early_stopping.h"
#include "tandem/callbacks/lambda_callback.h"
#include "tandem/callbacks/learning_rate_scheduler.h"
#include "tandem/callbacks/model_checkpoint.h"
#include "tandem/callbacks/reduce_lr_on_plateau.h"
#include "tandem/callbacks/swap_ema_weights.h"
#include "tandem/callbacks/terminate_on_nan.h"
#include "tandem/core/error.h"
#include "tandem/layers/dense.h"
#include "tandem/layers/input.h"
#include "tandem/model/body.h"
#include "tandem/optimizers/sgd.h"
#include "tandem/testing/temporary_folder.h"

namespace tandem::conformance {
namespace {

/// What the scenarios of a case gave.
struct Findings {
  explicit Findings(const CaseFolder& folder) : folder(folder), tolerance(folder.tolerance()) {}

  void number(const std::string& what, double got, const Config& want) {
    compare(differences, at + what, got, to_number(want), tolerance);
  }
  void count(const std::string& what, std::size_t got, const Config& want) {
    if (static_cast<int64_t>(got) != want.as_int())
      differences.push_back(c10::str(at, what, ": must be ", want.as_int(), ", is ", got));
  }
  void numbers(const std::string& what, const std::vector<double>& got, const Config& want) {
    compare(differences, at + what, at::tensor(got, at::kDouble).to(at::kFloat), to_tensor(want), tolerance);
  }
  void text(const std::string& what, const std::string& got, const std::string& want) {
    if (got != want) differences.push_back(c10::str(at, what, ": must be '", want, "', is '", got, "'"));
  }

  const CaseFolder& folder;
  Tolerance tolerance;
  std::string at;  // the scenario in hand
  Differences differences;
  Differences not_built;
};

/// Runs `act` for each row of scenarios.json. A row with "error" must throw InvalidArgument, the others must not; what
/// is not built yet is noted as such.
void each_row(Findings& findings, const std::function<void(const Config& row)>& act) {
  const Config rows = findings.folder.json("scenarios.json");
  std::size_t i = 0;
  for (const auto& row : rows.as_list()) {
    findings.at = c10::str("scenario ", ++i, ": ");
    const bool refuses = row.contains("error");
    try {
      act(row);
      if (refuses) findings.differences.push_back(findings.at + "must throw: " + row.at("error").as_string());
    } catch (const InvalidArgument& error) {
      const std::string why = error.what();
      if (why.find("not built yet") != std::string::npos || why.starts_with("metric '")) {
        findings.not_built.push_back(findings.at + why);
      } else if (!refuses) {
        findings.differences.push_back(findings.at + "threw " + why);
      }
    }
  }
}

Config without(const Config& object, const std::string& key) {
  Config rest = Config::object();
  for (const auto& [name, value] : object.as_object()) {
    if (name != key) rest.set(name, value);
  }
  return rest;
}

void check_early_stopping(Findings& findings) {
  each_row(findings, [&](const Config& row) {
    const auto& settings = row.at("settings");
    std::vector<std::string> metrics;
    const Config compiled = settings.get("compiled_metrics", Config::List{});
    for (const auto& name : compiled.as_list()) metrics.push_back(name.as_string());
    const auto stopping = callbacks::EarlyStopping::from_config(without(settings, "compiled_metrics"));
    const auto trained = train_by_script(read_script(row.at("script")), stopping, {.metrics = metrics});
    findings.count("epochs run", trained.watch->begun.size(), row.at("epochs_run"));
    findings.number("stopped epoch", static_cast<double>(stopping.stopped_epoch()), row.at("stopped_epoch"));
    if (!row.contains("best")) return;
    if (row.at("best").is_null() || !stopping.best()) {
      findings.count("has a best", stopping.best().has_value(), row.at("best").is_null() ? 0 : 1);
    } else {
      findings.number("best", *stopping.best(), row.at("best"));
    }
    findings.number("best epoch", static_cast<double>(stopping.best_epoch()), row.at("best_epoch"));
    findings.number("final weights of epoch", marker(trained.model), row.at("final_weights_of_epoch"));
  });
}

void check_reduce_lr(Findings& findings) {
  each_row(findings, [&](const Config& row) {
    const auto trained =
        train_by_script(read_script(row.at("script")), callbacks::ReduceLROnPlateau::from_config(row.at("settings")),
                        {.rate = row.at("initial_learning_rate").as_double()});
    findings.numbers("rates after epochs", trained.watch->rates, row.at("learning_rate_after_epoch"));
    findings.numbers("rates of the history", trained.history["learning_rate"], row.at("history_learning_rate"));
  });
}

callbacks::LearningRateScheduler scheduler_of(const Config& row) {
  const auto schedule = row.at("schedule").as_string();
  const double drop = row.at("drop").as_double();
  const auto every = static_cast<int>(row.at("every").as_int());
  if (schedule == "rate * drop every n epochs") {
    return callbacks::LearningRateScheduler(
        [=](int epoch, double rate) { return epoch > 0 && epoch % every == 0 ? rate * drop : rate; });
  }
  if (schedule == "epoch only: 0.1 / (epoch + 1)")
    return callbacks::LearningRateScheduler([](int epoch) { return 0.1 / (epoch + 1); });
  throw DataError(c10::str("schedule '", schedule, "' is not known here"));
}

void check_learning_rate_scheduler(Findings& findings) {
  each_row(findings, [&](const Config& row) {
    const auto epochs = static_cast<std::size_t>(row.at("epochs").as_int());
    const auto trained = train_by_script(
        {{"val_loss", std::vector<std::optional<double>>(epochs, 1.0)}}, scheduler_of(row),
        {.rate = row.at("initial_learning_rate").as_double(), .initial_epoch = row.at("initial_epoch").as_int()});
    findings.numbers("rates in epochs", trained.watch->rates, row.at("learning_rate_in_epoch"));
    findings.numbers("rates of the history", trained.history["learning_rate"], row.at("history_learning_rate"));
    const auto& begun = row.at("seen_at_epoch_begin").as_list();
    findings.count("epochs begun", trained.watch->begun.size(), static_cast<int64_t>(begun.size()));
    for (std::size_t i = 0; i < std::min(begun.size(), trained.watch->begun.size()); ++i) {
      const auto& [epoch, rate] = trained.watch->begun[i];
      findings.number("epoch begun", static_cast<double>(epoch), begun[i].at("epoch"));
      findings.number("rate at an epoch's begin", rate, begun[i].at("learning_rate"));
    }
  });
}

std::string joined(const std::vector<std::string>& names) {
  std::string out;
  for (const auto& name : names) out += (out.empty() ? "" : " ") + name;
  return out;
}

std::string joined(const Config& names) {
  std::vector<std::string> all;
  for (const auto& name : names.as_list()) all.push_back(name.as_string());
  return joined(all);
}

void check_model_checkpoint(Findings& findings) {
  each_row(findings, [&](const Config& row) {
    const testing::TemporaryFolder place;
    Config settings = row.at("settings");
    settings.set("filepath", place.file(row.at("file").as_string()));
    const auto checkpoint = callbacks::ModelCheckpoint::from_config(settings);
    const auto trained =
        train_by_script(read_script(row.at("script")), checkpoint,
                        {.folder = place.path().string(), .steps = row.at("steps_per_epoch").as_int()});
    const auto& files = row.at("files_after_epoch").as_list();
    findings.count("epochs", trained.watch->files.size(), static_cast<int64_t>(files.size()));
    for (std::size_t i = 0; i < std::min(files.size(), trained.watch->files.size()); ++i)
      findings.text(c10::str("files after epoch ", i + 1), joined(trained.watch->files[i]), joined(files[i]));
    for (const auto& [name, epoch] : row.at("weights_of_epoch").as_object()) {
      Model saved = model_with_marker(0.1);
      saved.load_weights(place.file(name));
      findings.number(name + " holds the weights of epoch", marker(saved), epoch);
    }
    const auto& best = row.at("best");
    findings.count("has a best", checkpoint.best().has_value(), best.is_null() ? 0 : 1);
    if (checkpoint.best() && !best.is_null()) findings.number("best", *checkpoint.best(), best);
  });
}

void check_mode_auto(Findings& findings) {
  const Tensor x = at::tensor({0.0F, 1.0F}).view({2, 1});
  each_row(findings, [&](const Config& row) {
    MetricsArgument::List metrics;
    if (row.at("metric").is_string()) {  // a class's name, or one that compile takes
      const auto& name = row.at("metric").as_string();
      const bool is_class = std::isupper(static_cast<unsigned char>(name.front()));
      metrics.push_back(is_class ? Handle<Metric>(Metric::make(name, Config::object())) : Handle<Metric>(name));
    }
    Sequential model({layers::Input({1}), layers::Dense(1, {.activation = "sigmoid"})});
    model.compile({.optimizer = "sgd", .loss = "mse", .metrics = metrics});
    const auto& monitor = row.at("monitor").as_string();
    model.fit(x, x,
              {.verbose = 0,
               .callbacks = {callbacks::EarlyStopping({.monitor = monitor, .patience = 100})},
               .validation_data = {x, x}});
    const auto name = monitor.starts_with("val_") ? monitor.substr(4) : monitor;
    findings.text("direction of " + monitor, model.body().monitor_direction(name), row.at("direction").as_string());
  });
}

void check_terminate_on_nan(Findings& findings) {
  each_row(findings, [&](const Config& row) {
    const int64_t steps = row.at("steps_per_epoch").as_int();
    const Tensor x = at::ones({steps, 1}), y = at::ones({steps, 1});
    y[row.at("nan_at_step").as_int()].fill_(std::numeric_limits<float>::quiet_NaN());
    Model model = model_with_marker(0);
    std::size_t seen = 0;
    const auto history =
        model.fit(x, y,
                  {.batch_size = 1,
                   .epochs = row.at("epochs").as_int(),
                   .verbose = 0,
                   .callbacks = {callbacks::TerminateOnNaN(),
                                 callbacks::LambdaCallback({.on_train_batch_end = [&](int64_t, Logs&) { ++seen; }})},
                   .shuffle = false});
    findings.count("steps run", seen, row.at("steps_run"));
    findings.count("epochs in the history", history.epoch().size(), row.at("epochs_in_history"));
  });
}

void check_stop_training(Findings& findings) {
  each_row(findings, [&](const Config& row) {
    const Tensor x = at::ones({row.at("steps_per_epoch").as_int(), 1});
    Model model = model_with_marker(0.1);
    const auto stop = [&, last = row.at("at").as_int()](int64_t i, Logs&) {
      if (i == last) model.stop_training();
    };
    callbacks::LambdaCallbackOptions at_hook;
    const auto& hook = row.at("hook").as_string();
    if (hook == "on_train_batch_end") {
      at_hook.on_train_batch_end = stop;
    } else if (hook == "on_epoch_end") {
      at_hook.on_epoch_end = stop;
    } else if (hook == "on_epoch_begin") {
      at_hook.on_epoch_begin = stop;
    } else {
      throw DataError(c10::str("hook '", hook, "' is not known here"));
    }
    std::size_t steps = 0;
    const auto history =
        model.fit(x, x,
                  {.batch_size = 1,
                   .epochs = row.at("epochs").as_int(),
                   .verbose = 0,
                   .callbacks = {callbacks::LambdaCallback(at_hook),
                                 callbacks::LambdaCallback({.on_train_batch_end = [&](int64_t, Logs&) { ++steps; }})},
                   .validation_data = {x, x}});
    findings.count("steps run", steps, row.at("steps_run"));
    findings.count("epochs in the history", history.epoch().size(), row.at("epochs_in_history"));
    findings.count("values of val_loss", history.count("val_loss") ? history["val_loss"].size() : 0,
                   row.at("validation_values"));
  });
}

/// A callback that notes each hook, its index and the sorted names of its logs, a line each.
callbacks::LambdaCallback recorder(std::string& lines) {
  const auto note = [&lines](const std::string& hook, const std::string& index, const Logs& logs) {
    lines += hook + index;
    for (const auto& [name, value] : logs.sorted()) lines += " " + name;
    lines += "\n";
  };
  const auto plain = [=](const std::string& hook) { return [=](const Logs& logs) { note(hook, "", logs); }; };
  const auto indexed = [=](const std::string& hook) {
    return [=](int64_t i, const Logs& logs) { note(hook, c10::str(" ", i), logs); };
  };
  return callbacks::LambdaCallback({.on_epoch_begin = indexed("on_epoch_begin"),
                                    .on_epoch_end = indexed("on_epoch_end"),
                                    .on_train_begin = plain("on_train_begin"),
                                    .on_train_end = plain("on_train_end"),
                                    .on_train_batch_begin = indexed("on_train_batch_begin"),
                                    .on_train_batch_end = indexed("on_train_batch_end"),
                                    .on_test_begin = plain("on_test_begin"),
                                    .on_test_end = plain("on_test_end"),
                                    .on_test_batch_begin = indexed("on_test_batch_begin"),
                                    .on_test_batch_end = indexed("on_test_batch_end"),
                                    .on_predict_begin = plain("on_predict_begin"),
                                    .on_predict_end = plain("on_predict_end"),
                                    .on_predict_batch_begin = indexed("on_predict_batch_begin"),
                                    .on_predict_batch_end = indexed("on_predict_batch_end")});
}

std::string recorded(const Config& calls) {
  std::string lines;
  for (const auto& call : calls.as_list()) {
    lines += call.at("hook").as_string();
    if (!call.at("index").is_null()) lines += " " + std::to_string(call.at("index").as_int());
    if (!call.at("logs").is_null() && !call.at("logs").as_list().empty()) lines += " " + joined(call.at("logs"));
    lines += "\n";
  }
  return lines;
}

void check_order(Findings& findings) {
  const auto about = findings.folder.json("scenarios.json");
  const int64_t rows = about.at("rows").as_int(), batch_size = about.at("batch_size").as_int();
  Sequential model({layers::Input({2}), layers::Dense(1)});
  model.compile({.optimizer = "rmsprop", .loss = "mse", .metrics = {"mae"}});
  const Tensor x = at::ones({rows, 2}), y = at::ones({rows, 1});
  std::string lines;
  const auto record = recorder(lines);
  model.fit(x, y,
            {.batch_size = batch_size,
             .epochs = about.at("epochs").as_int(),
             .verbose = 0,
             .callbacks = {record},
             .validation_data = {x, y}});
  findings.text("hooks of fit", lines, recorded(about.at("fit")));
  lines.clear();
  model.evaluate(x, y, {.batch_size = batch_size, .verbose = 0, .callbacks = {record}});
  findings.text("hooks of evaluate", lines, recorded(about.at("evaluate")));
  lines.clear();
  model.predict(x, {.batch_size = batch_size, .callbacks = {record}});
  findings.text("hooks of predict", lines, recorded(about.at("predict")));
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, separator);) parts.push_back(part);
  return parts;
}

/// The figures in the lines [first, last) of a log, names in reverse order: columns are sorted by who writes them.
Script script_of(const std::vector<std::string>& lines, std::size_t last) {
  const auto names = split(lines.front(), ',');
  Script script;
  for (std::size_t column = names.size(); column-- > 1;) {
    auto& values = script.emplace_back(names[column], std::vector<std::optional<double>>{}).second;
    for (std::size_t line = 1; line < last; ++line) values.push_back(std::stod(split(lines[line], ',').at(column)));
  }
  return script;
}

std::string text_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::string text, line;
  while (std::getline(in, line)) {
    if (!line.ends_with('\r')) return "a line without CR: " + line;
    line.back() = '\n';  // as Python's read_text gives it
    text += line;
  }
  return text;
}

/// The case does not hold its data: Keras's figures, read from its text, must give this text again, to the byte.
void check_csv_logger(Findings& findings) {
  const auto about = findings.folder.json("scenarios.json");
  const auto& first = about.at("first").as_string();
  const auto& appended = about.at("appended").as_string();
  const auto lines = split(appended, '\n');
  const std::size_t half = split(first, '\n').size();
  const testing::TemporaryFolder place;
  const auto path = place.file("log.csv");
  train_by_script(script_of(lines, half), callbacks::CSVLogger(path));
  findings.text("columns", split(text_of(path), '\n').at(0), lines.front());
  findings.text("log", text_of(path), first);
  train_by_script(script_of(lines, lines.size()), callbacks::CSVLogger(path, {.append = true}),
                  {.initial_epoch = static_cast<int64_t>(half) - 1});
  findings.text("log appended to", text_of(path), appended);
}

std::vector<double> kernel_of(Model& model) {
  const Tensor kernel = model.get_weights().at(0).flatten().to(at::kDouble);
  return {kernel.const_data_ptr<double>(), kernel.const_data_ptr<double>() + kernel.numel()};
}

void check_swap_ema(Findings& findings) {
  const auto about = findings.folder.json("scenarios.json");
  Sequential model({layers::Input({2}), layers::Dense(1)});
  model.set_weights({to_tensor(about.at("initial_kernel")).view({2, 1}), at::zeros({1})});
  model.compile({.optimizer = optimizers::SGD({.learning_rate = about.at("learning_rate").as_double(),
                                               .use_ema = true,
                                               .ema_momentum = about.at("ema_momentum").as_double()}),
                 .loss = "mse"});
  const auto rows = [&](const char* name) {
    const Config list = about.at(name);
    std::vector<Tensor> all;
    for (const auto& row : list.as_list()) all.push_back(to_tensor(row));
    return at::stack(all);
  };
  const Tensor x = rows("x"), y = rows("y");
  std::vector<std::pair<std::string, std::vector<double>>> seen;
  const auto note = [&](const char* hook) {
    return [&, hook](int64_t, Logs&) { seen.emplace_back(hook, kernel_of(model)); };
  };
  const auto history =
      model.fit(x, y,
                {.batch_size = 3,
                 .epochs = 2,
                 .verbose = 0,
                 .callbacks = {callbacks::SwapEMAWeights({.swap_on_epoch = true}),
                               callbacks::LambdaCallback({.on_epoch_begin = note("on_epoch_begin"),
                                                          .on_epoch_end = note("on_epoch_end"),
                                                          .on_test_batch_end = note("on_test_batch_end")})},
                 .validation_data = {x, y},
                 .shuffle = false});
  const auto& wanted = about.at("seen").as_list();
  findings.count("hooks", seen.size(), static_cast<int64_t>(wanted.size()));
  for (std::size_t i = 0; i < std::min(seen.size(), wanted.size()); ++i) {
    findings.text(c10::str("hook ", i), seen[i].first, wanted[i].at("hook").as_string());
    findings.numbers(c10::str("kernel at hook ", i), seen[i].second, wanted[i].at("kernel"));
  }
  for (const char* name : {"loss", "val_loss"}) findings.numbers(name, history[name], about.at("history").at(name));
  findings.numbers("kernel at the end", kernel_of(model), about.at("final_kernel"));
}

using Check = void (*)(Findings&);
const std::vector<std::pair<std::string, Check>> kChecks = {
    {"callback_csv_logger", check_csv_logger},
    {"callback_early_stopping", check_early_stopping},
    {"callback_learning_rate_scheduler", check_learning_rate_scheduler},
    {"callback_mode_auto", check_mode_auto},
    {"callback_model_checkpoint", check_model_checkpoint},
    {"callback_order", check_order},
    {"callback_reduce_lr", check_reduce_lr},
    {"callback_stop_training", check_stop_training},
    {"callback_swap_ema", check_swap_ema},
    {"callback_terminate_on_nan", check_terminate_on_nan},
};

}  // namespace

Differences check_callback_case(const CaseFolder& folder) {
  const auto check =
      std::find_if(kChecks.begin(), kChecks.end(), [&](const auto& c) { return c.first == folder.name(); });
  if (check == kChecks.end()) throw InvalidArgument(folder.name() + ": is not built yet");
  Findings findings(folder);
  check->second(findings);
  if (findings.differences.empty() && !findings.not_built.empty())
    throw InvalidArgument(c10::str(findings.not_built.size(), " scenarios are not built: ", findings.not_built[0]));
  return findings.differences;
}

}  // namespace tandem::conformance
