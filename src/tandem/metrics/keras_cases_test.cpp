// Every metric case that Keras wrote: results after each of three updates, with and without weights, and after a reset.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

#include "tandem/metrics/mean.h"
#include "tandem/metrics/metric.h"
#include "tandem/testing/npy.h"

namespace tandem {
namespace {

constexpr double kClose = 1e-6;  // relative, and absolute below 1: Keras adds up in float32

Config case_of(const std::string& folder) {
  std::ifstream file(folder + "/case.json");
  return Config::from_json(std::string(std::istreambuf_iterator<char>(file), {}));
}

Shape shape_of_batch(const Tensor& t) { return Shape::of(t.sizes().vec()).without_batch().with_batch(); }

/// A number or nested lists of them, in order.
std::vector<double> figures(const Config& value) {
  if (!value.is_list()) return {value.as_double()};
  std::vector<double> all;
  for (const auto& item : value.as_list()) {
    for (const double number : figures(item)) all.push_back(number);
  }
  return all;
}

std::vector<double> figures(const Tensor& values) {
  const Tensor flat = values.to(at::kDouble).contiguous();
  return {flat.const_data_ptr<double>(), flat.const_data_ptr<double>() + flat.numel()};
}

void expect_figures(const Tensor& got, const Config& want, double close) {
  const auto mine = figures(got), theirs = figures(want);
  ASSERT_EQ(mine.size(), theirs.size());
  for (std::size_t i = 0; i < mine.size(); ++i)
    EXPECT_NEAR(mine[i], theirs[i], close * std::max(1.0, std::abs(theirs[i]))) << i;
}

void expect_results(Metric& metric, const Tensor& y_true, const Tensor& y_pred, const Tensor& weight,
                    const Config& results, const Config& after_reset) {
  const auto update = [&](int64_t step) {
    metric.update(y_true[step], y_pred[step], weight.defined() ? weight[step] : weight);
  };
  for (int64_t step = 0; step < y_true.size(0); ++step) {
    update(step);
    SCOPED_TRACE(step);
    expect_figures(metric.results(), results.as_list()[static_cast<std::size_t>(step)], kClose);
  }
  metric.reset();
  EXPECT_EQ(metric.result(), 0);  // all of Keras's metrics here start at 0
  update(0);
  expect_figures(metric.results(), after_reset, kClose);
}

TEST(KerasMetrics, AccuracyAgreesOnEveryCase) {
  int cases = 0;
  for (const auto& entry : std::filesystem::directory_iterator(testing::fixture("keras/metrics"))) {
    if (!entry.path().filename().string().starts_with("accuracy_")) continue;
    const std::string folder = entry.path();
    const auto load = [&](const std::string& name) { return testing::load_npy(folder + "/" + name + ".npy"); };
    const Config about = case_of(folder);
    const Tensor y_true = load("y_true"), y_pred = load("y_pred"), weight = load("sample_weight");
    SCOPED_TRACE(folder);

    const auto metric = Metric::make_for("accuracy", shape_of_batch(y_true[0]), shape_of_batch(y_pred[0]));
    EXPECT_EQ(metric->class_name(), about.at("metric").as_string());
    EXPECT_EQ(metric->get_config(), about.at("config"));
    expect_results(*metric, y_true, y_pred, {}, about.at("plain"), about.at("after_reset_plain"));
    expect_results(*metric->replicate(), y_true, y_pred, weight, about.at("weighted"),
                   about.at("after_reset_weighted"));
    ++cases;
  }
  EXPECT_GE(cases, 8);
}

std::string text_of(Metric::Direction direction) {
  switch (direction) {
    case Metric::Direction::kUp:
      return "up";
    case Metric::Direction::kDown:
      return "down";
    default:
      return "";
  }
}

void expect_states(const Metric& metric, const Config& want) {
  const auto states = metric.states();
  ASSERT_EQ(states.size(), want.as_list().size());
  for (std::size_t i = 0; i < states.size(); ++i) expect_figures(states[i], want.as_list()[i], 10 * kClose);
}

/// What three replicas have together, of which one has the first rows of each update, one the others and one none.
std::shared_ptr<Metric> merged(const Metric& metric, const Tensor& y_true, const Tensor& y_pred,
                               const Tensor& weights) {
  const auto whole = metric.replicate(), idle = metric.replicate();
  const auto first = metric.replicate(), second = metric.replicate();
  for (int64_t step = 0; step < y_true.size(0); ++step) {
    const auto part = [&](const Tensor& t, int64_t begin, int64_t end) { return t[step].slice(0, begin, end); };
    const int64_t rows = y_pred.size(1), middle = rows / 3;
    first->update(part(y_true, 0, middle), part(y_pred, 0, middle), part(weights, 0, middle));
    second->update(part(y_true, middle, rows), part(y_pred, middle, rows), part(weights, middle, rows));
  }
  for (const auto& replica : {idle, second, first}) whole->merge(*replica);
  return whole;
}

TEST(KerasMetrics, AgreeOnEveryClass) {
  std::map<std::string, int> cases;
  for (const auto& entry : std::filesystem::directory_iterator(testing::fixture("keras/metrics"))) {
    if (!entry.path().filename().string().starts_with("class_")) continue;
    const std::string folder = entry.path();
    const auto load = [&](const std::string& name) { return testing::load_npy(folder + "/" + name + ".npy"); };
    const Config about = case_of(folder);
    const std::string class_name = about.at("class").as_string();
    const Tensor y_pred = load("y_pred"), weights = load("sample_weight");
    const Tensor y_true = std::filesystem::exists(folder + "/y_true.npy") ? load("y_true") : at::zeros_like(y_pred);
    SCOPED_TRACE(folder);

    const Config settings = about.get("settings", about.at("config"));
    const auto metric = Metric::make(class_name, settings);
    EXPECT_EQ(metric->class_name(), class_name);
    EXPECT_EQ(metric->get_config(), settings);
    EXPECT_EQ(metric->replicate()->get_config(), settings);
    const Config direction = about.at("direction");
    EXPECT_EQ(text_of(metric->direction()), direction.is_null() ? "" : direction.as_string());
    EXPECT_EQ(metric->result(), about.at("empty").is_null() ? 0 : figures(about.at("empty"))[0]);
    expect_figures(merged(*metric, y_true, y_pred, weights)->results(), about.at("weighted").as_list().back(), kClose);
    for (const bool weighted : {false, true}) {
      const std::string kind = weighted ? "weighted" : "plain";
      const auto own = metric->replicate();
      for (int64_t step = 0; step < y_true.size(0); ++step)
        own->update(y_true[step], y_pred[step], weighted ? weights[step] : Tensor());
      expect_states(*own, about.at("states_" + kind));
      own->reset();
      expect_results(*own, y_true, y_pred, weighted ? weights : Tensor(), about.at(kind),
                     about.at("after_reset_" + kind));
    }
    ++cases[class_name];
  }
  EXPECT_EQ(cases.size(), 44u);
}

TEST(KerasMetrics, EachNameThatBothKnowIsTheSameClass) {
  int known = 0;
  const Config about = case_of(testing::fixture("keras/metrics/names"));
  for (const auto& [name, class_name] : about.at("names").as_object()) {
    if (name == "accuracy") continue;  // in compile the shapes decide
    std::shared_ptr<Metric> metric;
    try {
      metric = Metric::make(name, Config::object());
    } catch (const Error&) {
      continue;
    }
    EXPECT_EQ(metric->class_name(), class_name.as_string()) << name;
    ++known;
  }
  EXPECT_GE(known, 81);
}

TEST(KerasMetrics, MeanOfLossesWeightedByRows) {
  const Config about = case_of(testing::fixture("keras/metrics/mean_of_losses"));
  const auto mean = metrics::Mean().get();
  const auto& values = about.at("values").as_list();
  ASSERT_EQ(values.size(), 4u);
  for (std::size_t i = 0; i < values.size(); ++i) {
    mean->update({}, at::scalar_tensor(values[i].as_double()),
                 at::scalar_tensor(about.at("rows").as_list()[i].as_double()));
    EXPECT_NEAR(mean->result(), about.at("after").as_list()[i].as_double(), kClose);
  }
}

}  // namespace
}  // namespace tandem
