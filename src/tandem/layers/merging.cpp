#include "tandem/layers/merging.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include <algorithm>

#include "tandem/core/error.h"
#include "tandem/layers/masks.h"

namespace tandem {

void MergingLayer::throw_wrong_inputs(const std::string& must, const Shapes& inputs) const {
  std::string list;
  for (const auto& shape : inputs) list += (list.empty() ? "" : ", ") + shape.to_string();
  throw InvalidArgument(
      c10::str("layer '", name(), "' (", class_name(), "): ", must, ", got ", inputs.empty() ? "none" : list));
}

Shapes MergingLayer::shapes_of(const Tensors& inputs) {
  Shapes shapes;
  for (const auto& x : inputs) shapes.push_back(Shape::of(x.sizes().vec()));
  return shapes;
}

Shapes ElementwiseMergeLayer::output_shapes(const Shapes& inputs) {
  const auto count = static_cast<int64_t>(inputs.size());
  const std::string must = c10::str("must get ", most_inputs_ == 2 ? "two" : "two or more",
                                    " inputs of one shape (axes of size 1 but the batch are repeated)");
  if (count < 2 || count > most_inputs_) throw_wrong_inputs(must, inputs);
  int64_t rank = 0;
  for (const auto& shape : inputs) {
    if (shape.empty()) throw_wrong_inputs(must, inputs);
    rank = std::max(rank, shape.rank());
  }
  Shape out = Shape::of(std::vector<int64_t>(static_cast<std::size_t>(rank), 1));
  out[0] = Shape::kUnknown;
  for (const auto& shape : inputs) {
    const int64_t added = rank - shape.rank();
    for (int64_t axis = 0; axis < rank; ++axis) {
      if (axis > 0 && axis <= added) continue;
      const int64_t n = shape[axis == 0 ? 0 : axis - added];
      if (out[axis] == n || (n == 1 && axis > 0)) continue;
      if (out[axis] == Shape::kUnknown || (out[axis] == 1 && axis > 0)) {
        out[axis] = n;
      } else if (n != Shape::kUnknown) {
        throw_wrong_inputs(must, inputs);
      }
    }
  }
  return {out};
}

Tensors ElementwiseMergeLayer::call_many(const Tensors& inputs, const CallContext&) {
  bool equal = inputs.size() >= 2 && inputs.size() <= most_inputs_;
  for (const auto& x : inputs) equal = equal && x.dim() > 0 && x.sizes() == inputs.front().sizes();
  if (equal) return merge(inputs.vector(), true);

  const int64_t rank = output_shapes(shapes_of(inputs)).front().rank();
  std::vector<Tensor> of_one_rank = inputs.vector();
  for (auto& x : of_one_rank) {
    while (x.dim() < rank) x = x.unsqueeze(1);
  }
  return merge(of_one_rank, false);
}

Tensors ElementwiseMergeLayer::compute_mask(const Tensors&, const Tensors& masks) { return union_of(masks); }

Tensor sum_of(const std::vector<Tensor>& inputs, bool equal) {
  Tensor sum = inputs[0] + inputs[1];
  for (std::size_t i = 2; i < inputs.size(); ++i) sum = equal ? sum.add_(inputs[i]) : sum + inputs[i];
  return sum;
}

}  // namespace tandem
