#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "tandem/metrics/metric.h"

namespace tandem {
namespace {

TEST(MetricCatalog, MakesEachNameUnderThatName) {
  const std::pair<const char*, const char*> kNames[] = {
      {"binary_accuracy", "BinaryAccuracy"},
      {"BinaryAccuracy", "BinaryAccuracy"},
      {"categorical_accuracy", "CategoricalAccuracy"},
      {"CategoricalAccuracy", "CategoricalAccuracy"},
      {"sparse_categorical_accuracy", "SparseCategoricalAccuracy"},
      {"SparseCategoricalAccuracy", "SparseCategoricalAccuracy"},
      {"mean_squared_error", "MeanSquaredError"},
      {"MeanSquaredError", "MeanSquaredError"},
      {"mse", "MeanSquaredError"},
      {"MSE", "MeanSquaredError"},
  };
  for (const auto& [name, class_name] : kNames) {
    EXPECT_EQ(Metric::make(name)->class_name(), class_name);
    EXPECT_EQ(Metric::make(name)->name(), name);
  }
}

TEST(MetricCatalog, AccuracyFollowsTheShapesAsInKeras) {
  const auto class_for = [](const Shape& y_true, const Shape& y_pred) {
    return Metric::make_for("accuracy", y_true, y_pred)->class_name();
  };
  const int64_t none = Shape::kUnknown;
  EXPECT_EQ(class_for({none, 1}, {none, 1}), "BinaryAccuracy");
  EXPECT_EQ(class_for({none}, {none, 1}), "BinaryAccuracy");
  EXPECT_EQ(class_for({none}, {none, 3}), "SparseCategoricalAccuracy");
  EXPECT_EQ(class_for({none, 1}, {none, 3}), "SparseCategoricalAccuracy");
  EXPECT_EQ(class_for({none, 4}, {none, 4, 3}), "SparseCategoricalAccuracy");
  EXPECT_EQ(class_for({none, 3}, {none, 3}), "CategoricalAccuracy");
  EXPECT_EQ(class_for({none, 4, 3}, {none, 4, 3}), "CategoricalAccuracy");
}

TEST(MetricCatalog, KeepsTheNameThatWasAskedFor) {
  EXPECT_EQ(Metric::make_for("acc", {-1, 3}, {-1, 3})->name(), "acc");
  EXPECT_EQ(Metric::make_for("accuracy", {-1, 3}, {-1, 3})->name(), "accuracy");
  EXPECT_EQ(Metric::make_for("mse", {-1, 3}, {-1, 3})->name(), "mse");
}

TEST(MetricCatalog, ReadsSettingsAsKerasSerialisesThem) {
  const auto metric =
      Metric::make("BinaryAccuracy", Config::object({{"name", "cut"}, {"dtype", "float32"}, {"threshold", 0.3}}));
  EXPECT_EQ(metric->name(), "cut");
  EXPECT_EQ(metric->get_config().at("threshold").as_double(), 0.3);
  EXPECT_EQ(Metric::make("BinaryAccuracy", Config::object())->name(), "binary_accuracy");
  EXPECT_EQ(Metric::make("Accuracy", Config::object())->class_name(), "Accuracy");
  EXPECT_EQ(Metric::make("function", "mean_absolute_error")->class_name(), "MeanAbsoluteError");
  const auto wrapped =
      Metric::make("MeanMetricWrapper",
                   Config::object({{"name", "close"},
                                   {"dtype", "float32"},
                                   {"fn", Config::object({{"class_name", "function"}, {"config", "binary_accuracy"}})},
                                   {"threshold", 0.9}}));
  EXPECT_EQ(wrapped->name(), "close");
  EXPECT_EQ(wrapped->get_config().at("threshold").as_double(), 0.9);
}

TEST(MetricCatalog, TakesALossForItsMean) {
  const auto huber = Metric::make("huber");
  EXPECT_EQ(huber->name(), "huber");
  EXPECT_EQ(huber->direction(), Metric::Direction::kDown);
  huber->update(at::zeros({2, 1}), at::tensor({1.0f, 3.0f}).view({2, 1}), {});
  EXPECT_DOUBLE_EQ(huber->result(), (0.5 + 2.5) / 2);
  const auto read = Metric::make("Huber", Config::object({{"name", "mine"}, {"reduction", "sum"}, {"delta", 0.5}}));
  EXPECT_EQ(read->get_config(),
            Config::object({{"name", "huber_loss"}, {"dtype", "float32"}, {"reduction", "sum"}, {"delta", 0.5}}));
  // a Loss that Keras has as a metric too
  EXPECT_EQ(Metric::make("MeanSquaredError",
                         Config::object({{"name", "mean_squared_error"}, {"reduction", "sum_over_batch_size"}}))
                ->class_name(),
            "MeanSquaredError");
}

TEST(MetricCatalog, SaysWhatIsWrongWithASetting) {
  const auto message_of = [](const char* name, const Config& config) -> std::string {
    try {
      Metric::make(name, config);
    } catch (const Error& error) {
      return error.what();
    }
    return "nothing was thrown";
  };
  EXPECT_EQ(message_of("BinaryAccuracy", Config::object({{"k", 3}})),
            "metric BinaryAccuracy: setting 'k' is not known; known: 'name', 'dtype', 'reduction', 'threshold'");
  EXPECT_EQ(message_of("BinaryAccuracy", Config::object({{"treshold", 0.3}})),
            "metric BinaryAccuracy: setting 'treshold' is not known; did you mean 'threshold'?");
  EXPECT_EQ(message_of("BinaryAccuracy", Config::object({{"dtype", "float16"}})),
            "metric BinaryAccuracy: dtype must be float32, got float16");
  EXPECT_NE(message_of("TopKCategoricalAccuracy", Config::object({{"k", 0}})).find("k must be at least 1, got 0"),
            std::string::npos);
  EXPECT_NE(message_of("MeanSquaredError", Config::object({{"reduction", "sum"}})).find("got sum"), std::string::npos);
  EXPECT_NE(message_of("huberr", Config::object()).find("'huber'"), std::string::npos);
}

TEST(MetricCatalog, SaysWhatIsWrongWithAName) {
  const auto message_of = [](const char* name) -> std::string {
    try {
      Metric::make(name);
    } catch (const InvalidArgument& error) {
      return error.what();
    }
    return "nothing was thrown";
  };
  EXPECT_NE(message_of("acc").find("depends on the shapes of target and prediction"), std::string::npos);
  EXPECT_NE(message_of("binary_acuracy").find("'binary_accuracy'"), std::string::npos);
}

}  // namespace
}  // namespace tandem
