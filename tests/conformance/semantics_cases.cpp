// Kind semantics: tables of values, and what fit and evaluate do with weights, splits, epochs and batches.
#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include <functional>
#include <map>

#include "check_case.h"
#include "fit_settings.h"
#include "tandem/core/error.h"
#include "tandem/core/random.h"
#include "tandem/distribution/loss_set.h"
#include "tandem/layers/initializer.h"
#include "tandem/model/load_model.h"
#include "tandem/model/model.h"
#include "tandem/optimizers/learning_rate.h"
#include "trained_weights.h"

namespace tandem::conformance {
namespace {

Differences check_schedules(const CaseFolder& folder) {
  Differences differences;
  const auto expected = folder.json("expected.json");
  for (const auto& row : expected.as_list()) {
    const auto& serialised = row.at("schedule");
    const auto schedule = LearningRateSchedule::make(serialised.at("class_name").as_string(), serialised.at("config"));
    std::vector<double> rates;
    for (std::size_t i = 0; i < row.at("rates").as_list().size(); ++i)
      rates.push_back((*schedule)(static_cast<int64_t>(i)));
    compare(differences, row.at("name").as_string(), at::tensor(rates), to_tensor(row.at("rates")), folder.tolerance());
  }
  return differences;
}

// Each row's value and the mean as training makes it; "sum" where that is a loss's setting.
Differences check_losses(const CaseFolder& folder) {
  Differences differences;
  const auto expected = folder.json("expected.json");
  const Tensor weights = to_tensor(expected.at("sample_weight"));
  for (const auto& row : expected.at("losses").as_list()) {
    const auto class_name = row.at("class_name").as_string();
    const Tensor y_true = to_tensor(row.at("y_true")), y_pred = to_tensor(row.at("y_pred"));
    const auto& values = row.at("values");
    const auto name = row.at("name").as_string();
    const Tensor got = Loss::make(class_name, row.at("config"))->call(y_true, y_pred);
    Tensor want = to_tensor(values.at("none").at("plain"));
    if (want.dim() == 0) want = want.expand_as(got);  // one value of the whole batch
    compare(differences, name, got, want, folder.tolerance());
    for (const char* reduction : {"sum_over_batch_size", "sum"}) {
      Config config = row.at("config");
      config.set("reduction", reduction);
      const distribute::LossSet set({Loss::make(class_name, config)}, {1.0});
      for (const char* kind : {"plain", "weighted"}) {
        if (!values.at(reduction).contains(kind)) continue;
        const data::Batch rows{{}, y_true, kind == std::string("plain") ? Tensor() : weights};
        const auto sums = set.add_up(y_pred, {}, rows);
        compare(differences, c10::str(name, " ", reduction, " ", kind),
                set.mean(sums, sums.counts).total.item<double>(), to_number(values.at(reduction).at(kind)),
                folder.tolerance());
      }
    }
  }
  return differences;
}

Differences check_initializers(const CaseFolder& folder) {
  Differences differences;
  uint64_t key = 0;
  const auto expected = folder.json("expected.json");
  for (const auto& row : expected.as_list()) {
    const auto name = row.at("name").as_string();
    const Shape shape = Shape::of(row.at("shape").as_ints());
    const Tensor v = (*Initializer::make(name))(shape, RandomStream(++key));
    const auto check = [&](const char* what, double got) {
      compare(differences, c10::str(name, " ", shape, " ", what), got, to_number(row.at(what)), folder.tolerance());
    };
    check("mean", v.mean().item<double>());
    check("std", v.std(/*unbiased=*/false).item<double>());
    // The extremes of a drawn normal differ by draw; those of a bounded distribution do not.
    if (name.find("normal") == std::string::npos && name != "orthogonal") {
      check("min", v.min().item<double>());
      check("max", v.max().item<double>());
    }
  }
  return differences;
}

Differences check_accuracy_names(const CaseFolder& folder) {
  Differences differences;
  const auto expected = folder.json("expected.json");
  for (const auto& row : expected.as_list()) {
    const Tensor y = to_tensor(row.at("y")), p = to_tensor(row.at("y_pred"));
    const auto metric = Metric::make_for("accuracy", Shape::of(y.sizes().vec()), Shape::of(p.sizes().vec()));
    const auto what = row.at("targets").as_string();
    if (metric->class_name() != row.at("classes").as_list().front().as_string()) {
      differences.push_back(
          c10::str(what, ": accuracy must be ", row.at("classes").to_json(), ", is ", metric->class_name()));
    }
    metric->update(y, p, {});
    compare(differences, what, metric->result(), to_number(row.at("result").at("accuracy")), folder.tolerance());
  }
  return differences;
}

Differences check_on_batch(const CaseFolder& folder) {
  Differences differences;
  const auto expected = folder.json("expected.json");
  auto model = load_model(folder.file("model.keras"));
  const Tensor x = folder.array("x.npy"), y = folder.array("y.npy");
  int64_t begin = 0;
  for (const auto& want : expected.at("train_calls").as_list()) {
    const auto got = model.train_on_batch(x.slice(0, begin, begin + 4), y.slice(0, begin, begin + 4));
    compare_logs(differences, c10::str("train_on_batch at row ", begin), got, want, folder.tolerance());
    begin += 4;
  }
  for (const char* call : {"test_call", "test_call_after_reset_metrics"}) {
    compare_logs(differences, call, model.test_on_batch(x.slice(0, 0, 4), y.slice(0, 0, 4)), expected.at(call),
                 folder.tolerance());
  }
  return differences;
}

Differences check_fit(const CaseFolder& folder) {
  Differences differences;
  const auto expected = folder.json("expected.json");
  auto model = load_model(folder.file("model.keras"));
  const Tensor x = folder.array("x.npy"), y = folder.array("y.npy");
  const auto options = read_fit_settings(folder);
  const auto history = model.fit(x, y, options);
  compare_history(differences, history, expected.at("history"), folder.tolerance());
  std::vector<double> epochs;
  for (const int64_t epoch : history.epoch()) epochs.push_back(static_cast<double>(epoch));
  compare(differences, "epoch", at::tensor(epochs), to_tensor(expected.at("epoch")), {0, 0});
  compare_trained_weights(differences, folder, model);
  if (expected.contains("evaluate")) {
    const auto got =
        model.evaluate(x, y, {.batch_size = options.batch_size, .verbose = 0, .sample_weight = options.sample_weight});
    compare_logs(differences, "evaluate", got, expected.at("evaluate"), folder.tolerance());
  }
  return differences;
}

}  // namespace

Differences check_semantics_case(const CaseFolder& folder) {
  static const std::map<std::string, std::function<Differences(const CaseFolder&)>> tables = {
      {"schedule_values", check_schedules}, {"loss_values", check_losses},
      {"initializers", check_initializers}, {"fit_accuracy_names", check_accuracy_names},
      {"train_on_batch", check_on_batch},
  };
  const auto table = tables.find(folder.name());
  return table != tables.end() ? table->second(folder) : check_fit(folder);
}

}  // namespace tandem::conformance
