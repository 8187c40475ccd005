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
