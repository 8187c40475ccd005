#include "tandem/data/map_rows.h"

#include <ATen/ATen.h>

#include <memory>
#include <vector>

#include "tandem/data/stack_rows.h"

namespace tandem::data {
namespace {

Tensors row_of(const Tensors& batch, int64_t row) {
  Tensors out;
  for (const Tensor& one : batch) out.push_back(one.defined() ? one.select(0, row) : one);
  return out;
}

class MapRowsTransform : public Transform {
 public:
  explicit MapRowsTransform(MapRows::Function function) : function_(std::move(function)) {}

  Batch apply(Batch batch, std::span<const RandomStream> streams) const override {
    std::vector<Example> rows;
    for (int64_t i = 0; i < batch.rows(); ++i) {
      Example row{row_of(batch.x, i), row_of(batch.y, i)};
      Tensors weights = row_of(batch.weights, i);
      if (weights.size() == 1) {
        row.weight = weights.front();
      } else {
        row.weights = std::move(weights);
      }
      rows.push_back(function_(std::move(row), streams[static_cast<std::size_t>(i)]));
    }
    return stack_rows(rows, "MapRows");
  }

  std::string class_name() const override { return "MapRows"; }

 private:
  MapRows::Function function_;
};

}  // namespace

MapRows::MapRows(Function function, int) : TransformHandle(std::make_shared<MapRowsTransform>(std::move(function))) {}

}  // namespace tandem::data
