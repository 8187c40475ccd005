#include "tandem/data/map_rows.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include <memory>
#include <string>
#include <vector>

#include "tandem/core/error.h"
#include "tandem/core/shape.h"

namespace tandem::data {
namespace {

std::string shape_of(const Tensor& tensor) {
  return tensor.defined() ? Shape::of(tensor.sizes().vec()).to_string() : "an undefined tensor";
}

Tensors row_of(const Tensors& batch, int64_t row) {
  Tensors out;
  for (const Tensor& one : batch) out.push_back(one.select(0, row));
  return out;
}

Tensor stack(const std::vector<Example>& rows, const char* what, const std::function<Tensor(const Example&)>& get) {
  std::vector<Tensor> parts;
  for (const Example& row : rows) {
    parts.push_back(get(row));
    if (!parts.back().defined() || parts.back().sizes() != parts.front().sizes()) {
      throw DataError(c10::str("MapRows: ", what, " must have one shape in all rows, got ", shape_of(parts.front()),
                               " in the first and ", shape_of(parts.back()), " in row ", parts.size() - 1,
                               " of the batch"));
    }
  }
  return at::stack(parts);
}

Tensors stack_all(const std::vector<Example>& rows, const char* what, const Tensors Example::*member) {
  Tensors out;
  const int64_t count = (rows.front().*member).size();
  for (const Example& row : rows) {
    if ((row.*member).size() != count)
      throw DataError(c10::str("MapRows: the function must return as many ", what, " for every row"));
  }
  for (int64_t i = 0; i < count; ++i) {
    out.push_back(stack(rows, what, [&](const Example& row) { return (row.*member)[i]; }));
  }
  return out;
}

class MapRowsTransform : public Transform {
 public:
  explicit MapRowsTransform(MapRows::Function function) : function_(std::move(function)) {}

  Batch apply(Batch batch, std::span<const RandomStream> streams) const override {
    std::vector<Example> rows;
    for (int64_t i = 0; i < batch.rows(); ++i) {
      Example row{row_of(batch.x, i), row_of(batch.y, i), batch.weights.defined() ? batch.weights[i] : Tensor()};
      rows.push_back(function_(std::move(row), streams[static_cast<std::size_t>(i)]));
    }
    Batch out{stack_all(rows, "x", &Example::x), stack_all(rows, "y", &Example::y), Tensor()};
    if (rows.front().weight.defined())
      out.weights = stack(rows, "the weight", [](const Example& row) { return row.weight; });
    return out;
  }

  std::string class_name() const override { return "MapRows"; }

 private:
  MapRows::Function function_;
};

}  // namespace

MapRows::MapRows(Function function, int) : TransformHandle(std::make_shared<MapRowsTransform>(std::move(function))) {}

}  // namespace tandem::data
