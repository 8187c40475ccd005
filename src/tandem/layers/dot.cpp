#include "tandem/layers/dot.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include <array>

#include "tandem/core/error.h"
#include "tandem/layers/l2_normalize.h"
#include "tandem/layers/merging.h"

namespace tandem::layers {
namespace {

class DotLayer : public MergingLayer {
 public:
  DotLayer(Axes axes, bool normalize) : axes_(std::move(axes)), normalize_(normalize) {
    if (axes_.numbers().size() != (axes_.to_config().is_list() ? 2 : 1))
      throw InvalidArgument(c10::str("Dot: axes must be one number or two, got ", axes_.to_config().shown()));
  }

  std::string class_name() const override { return "Dot"; }
  Config get_config() const override {
    return Config::object({{"axes", axes_.to_config()}, {"normalize", normalize_}});
  }

  Shapes output_shapes(const Shapes& inputs) override {
    const auto axes = axes_of(inputs);
    const Shape &a = inputs[0], &b = inputs[1];
    std::vector<int64_t> sizes{a[0] == Shape::kUnknown ? b[0] : a[0]};
    for (int64_t axis = 1; axis < a.rank(); ++axis) {
      if (axis != axes[0]) sizes.push_back(a[axis]);
    }
    for (int64_t axis = 1; axis < b.rank(); ++axis) {
      if (axis != axes[1]) sizes.push_back(b[axis]);
    }
    if (sizes.size() == 1) sizes.push_back(1);
    return {Shape::of(sizes)};
  }

  Tensors call_many(const Tensors& inputs, const CallContext&) override {
    const auto axes = axes_of(shapes_of(inputs));
    const auto sizes = output_shapes(shapes_of(inputs)).front().sizes();
    constexpr double kEpsilon = 1e-7;  // keras.backend.epsilon()
    const auto operand = [&](std::size_t i) {
      return normalize_ ? l2_normalize(inputs[static_cast<int64_t>(i)], axes[i], kEpsilon)
                        : inputs[static_cast<int64_t>(i)];
    };
    // As matrices (rows, others, summed) and (rows, summed, others).
    const Tensor a = operand(0).movedim(axes[0], -1), b = operand(1).movedim(axes[1], 1);
    const int64_t rows = a.size(0), summed = a.size(-1);
    return at::bmm(a.reshape({rows, others_of(a, a.dim() - 1), summed}), b.reshape({rows, summed, others_of(b, 1)}))
        .reshape(sizes);
  }

 private:
  /// The sizes of the axes but the rows and `summed`, multiplied.
  static int64_t others_of(const Tensor& x, int64_t summed) {
    int64_t count = 1;
    for (int64_t axis = 1; axis < x.dim(); ++axis) count *= axis == summed ? 1 : x.size(axis);
    return count;
  }

  std::array<int64_t, 2> axes_of(const Shapes& inputs) const {
    const auto fail = [&] {
      throw_wrong_inputs(c10::str("must get two inputs of one number of rows with equal sizes at axes ",
                                  axes_.to_config().shown(), ", which must be theirs and not the batch"),
                         inputs);
    };
    if (inputs.size() != 2) fail();
    std::array<int64_t, 2> axes;
    for (std::size_t i = 0; i < 2; ++i) {
      const int64_t rank = inputs[i].rank(), number = axes_.numbers()[axes_.numbers().size() == 1 ? 0 : i];
      axes[i] = number < 0 ? number + rank : number;
      if (axes[i] < 1 || axes[i] >= rank) fail();
    }
    if (!Shape::agree(inputs[0][axes[0]], inputs[1][axes[1]]) || !Shape::agree(inputs[0][0], inputs[1][0])) fail();
    return axes;
  }

  Axes axes_;
  bool normalize_;
};

}  // namespace

Dot::Dot(Axes axes, DotOptions options)
    : LayerHandle(make_remembered<DotLayer>(options.name, std::move(axes), options.normalize)) {}

Dot Dot::from_config(const Config& config) {
  return Dot(Axes::from_config(config.at("axes")), {.normalize = config.get("normalize", false).as_bool()});
}

}  // namespace tandem::layers
