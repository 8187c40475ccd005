#include "tandem/metrics/iou.h"

#include <algorithm>
#include <numeric>

#include "tandem/metrics/iou_metric.h"

namespace tandem::metrics {
namespace {

std::vector<int64_t> all_classes(int64_t count) {
  std::vector<int64_t> ids(static_cast<std::size_t>(std::max<int64_t>(count, 0)));
  std::iota(ids.begin(), ids.end(), int64_t{0});
  return ids;
}

std::shared_ptr<Metric> make_iou(const char* class_name, const char* name, int64_t num_classes,
                                 std::vector<int64_t> targets, IoUOptions options,
                                 std::optional<double> threshold = {}) {
  if (options.name.empty()) options.name = name;
  return std::make_shared<IoUMetric>(
      IoUMetric::Settings{class_name, num_classes, std::move(targets), std::move(options), threshold});
}

IoUOptions as_iou_options(OneHotIoUOptions options) {
  return {.name = std::move(options.name),
          .dtype = std::move(options.dtype),
          .ignore_class = options.ignore_class,
          .sparse_y_true = false,
          .sparse_y_pred = options.sparse_y_pred,
          .axis = options.axis};
}

}  // namespace

IoU::IoU(int64_t num_classes, std::vector<int64_t> target_class_ids, IoUOptions options)
    : Handle(make_iou("IoU", "io_u", num_classes, std::move(target_class_ids), std::move(options))) {}

MeanIoU::MeanIoU(int64_t num_classes, IoUOptions options)
    : Handle(make_iou("MeanIoU", "mean_io_u", num_classes, all_classes(num_classes), std::move(options))) {}

OneHotIoU::OneHotIoU(int64_t num_classes, std::vector<int64_t> target_class_ids, OneHotIoUOptions options)
    : Handle(make_iou("OneHotIoU", "one_hot_io_u", num_classes, std::move(target_class_ids),
                      as_iou_options(std::move(options)))) {}

OneHotMeanIoU::OneHotMeanIoU(int64_t num_classes, OneHotIoUOptions options)
    : Handle(make_iou("OneHotMeanIoU", "one_hot_mean_io_u", num_classes, all_classes(num_classes),
                      as_iou_options(std::move(options)))) {}

BinaryIoU::BinaryIoU(BinaryIoUOptions options)
    : Handle(make_iou("BinaryIoU", "binary_io_u", 2, std::move(options.target_class_ids),
                      {.name = std::move(options.name), .dtype = std::move(options.dtype)}, options.threshold)) {}

}  // namespace tandem::metrics
