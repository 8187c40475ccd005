#include "tandem/data/stack_rows.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include <algorithm>
#include <functional>
#include <string>

#include "tandem/core/error.h"
#include "tandem/core/shape.h"

namespace tandem::data {
namespace {

std::string shape_of(const Tensor& tensor) {
  return tensor.defined() ? Shape::of(tensor.sizes().vec()).to_string() : "an undefined tensor";
}

class RowStack {
 public:
  RowStack(const std::vector<Example>& rows, const char* where) : rows_(rows), where_(where) {}

  // With `some`, of what is undefined in all rows there is nothing.
  Tensors all(const char* what, const Tensors Example::*member, bool some = false) const {
    Tensors out;
    const int64_t count = (rows_.front().*member).size();
    for (const Example& row : rows_) {
      if ((row.*member).size() != count)
        throw DataError(c10::str(where_, ": the function must return as many ", what, " for every row"));
    }
    for (int64_t i = 0; i < count; ++i) {
      const bool none = some && std::none_of(rows_.begin(), rows_.end(),
                                             [&](const Example& row) { return (row.*member)[i].defined(); });
      out.push_back(none ? Tensor() : one(what, [&](const Example& row) { return (row.*member)[i]; }));
    }
    return out;
  }

  Tensor one(const char* what, const std::function<Tensor(const Example&)>& get) const {
    std::vector<Tensor> parts;
    for (const Example& row : rows_) {
      parts.push_back(get(row));
      if (!parts.back().defined() || parts.back().sizes() != parts.front().sizes()) {
        throw DataError(c10::str(where_, ": ", what, " must have one shape in all rows, got ", shape_of(parts.front()),
                                 " in the first and ", shape_of(parts.back()), " in row ", parts.size() - 1,
                                 " of the batch"));
      }
    }
    return at::stack(parts);
  }

 private:
  const std::vector<Example>& rows_;
  const char* where_;
};

}  // namespace

Batch stack_rows(const std::vector<Example>& rows, const char* where) {
  if (rows.empty()) throw DataError(c10::str(where, ": there must be at least one row"));
  const RowStack stack(rows, where);
  Batch out{stack.all("x", &Example::x), stack.all("y", &Example::y)};
  if (std::any_of(rows.begin(), rows.end(), [](const Example& row) { return row.weight.defined(); }))
    out.weights = stack.one("the weight", [](const Example& row) { return row.weight; }).to(at::kFloat);
  if (rows.front().weights.empty()) return out;
  out.weights = stack.all("weights", &Example::weights, /*some=*/true);
  for (Tensor& one : out.weights) one = one.defined() ? one.to(at::kFloat) : one;
  return out;
}

}  // namespace tandem::data
