#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tandem/metrics/metric.h"

namespace tandem::metrics {

struct IoUOptions {
  /// Key in logs and history. Empty: Keras's, "io_u" and the like.
  std::string name = {};
  /// Of the sums: "int64", "int32" or "int", where sample weights lose what follows the point, as in Keras, or
  /// "float32".
  std::string dtype = "int64";
  /// Rows of this class are left out.
  std::optional<int64_t> ignore_class = {};
  /// Targets are class ids rather than one value a class.
  bool sparse_y_true = true;
  /// Predictions are class ids rather than one value a class.
  bool sparse_y_pred = true;
  /// The axis of the classes where there is one value a class.
  int64_t axis = -1;
};

/// Intersection over union, true positives / (true positives + false positives + false negatives), the mean over those
/// of the target classes that occur; as keras.metrics.IoU. Ids (rows, ...) that are no class are left out. Throws
/// InvalidArgument on fewer than 1 class and on a target class that is none.
struct IoU : Handle<Metric> {
  IoU(int64_t num_classes, std::vector<int64_t> target_class_ids, IoUOptions options = {});
};
/// The same of all classes, as keras.metrics.MeanIoU.
struct MeanIoU : Handle<Metric> {
  explicit MeanIoU(int64_t num_classes, IoUOptions options = {});
};

struct OneHotIoUOptions {
  /// As IoUOptions.
  std::string name = {};
  std::string dtype = "int64";
  std::optional<int64_t> ignore_class = {};
  bool sparse_y_pred = false;
  int64_t axis = -1;
};

/// The same of targets, and mostly predictions, with one value a class, as keras.metrics.OneHotIoU and OneHotMeanIoU.
struct OneHotIoU : Handle<Metric> {
  OneHotIoU(int64_t num_classes, std::vector<int64_t> target_class_ids, OneHotIoUOptions options = {});
};
struct OneHotMeanIoU : Handle<Metric> {
  explicit OneHotMeanIoU(int64_t num_classes, OneHotIoUOptions options = {});
};

struct BinaryIoUOptions {
  /// Those of the classes 0 and 1 whose mean is shown.
  std::vector<int64_t> target_class_ids = {0, 1};
  /// Predictions from it on count as 1.
  double threshold = 0.5;
  /// As IoUOptions.
  std::string name = {};
  std::string dtype = "int64";
};

/// The same of targets of 0 and 1, as keras.metrics.BinaryIoU.
struct BinaryIoU : Handle<Metric> {
  explicit BinaryIoU(BinaryIoUOptions options = {});
};

}  // namespace tandem::metrics
