// Embedding by rows: each rank has some of the ids, and looks up zeros for the others.
#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include "tandem/core/error.h"
#include "tandem/sharding/split_layer.h"

namespace tandem::sharding {
namespace {

class RowsOfEmbedding final : public Layer {
 public:
  RowsOfEmbedding(const Division& rows, const Place& place, int64_t width, bool mask_zero)
      : ids_(rows.size), first_(rows.begin(place)), count_(rows.count(place)), width_(width), mask_zero_(mask_zero) {}

  std::string class_name() const override { return "Embedding"; }
  Lowering lowering() const override { return Lowering::kOutputs; }
  bool supports_masking() const override { return mask_zero_; }
  Tensors compute_mask(const Tensors& inputs, const Tensors&) override { return inputs.front().ne(0); }

  void build(const Shape&) override { rows_ = add_weight("embeddings", {count_, width_}, {.initializer = "zeros"}); }

  Shape output_shape(const Shape& input) override {
    auto sizes = input.sizes();
    sizes.push_back(width_);
    return Shape::of(sizes);
  }

  Tensor call(const Tensor& x, const CallContext& context) override {
    const Tensor ids = x.detach().to(at::kLong);
    const Tensor wrong = (ids < 0) | (ids >= ids_);
    if (wrong.any().item<bool>()) {
      const int64_t at = wrong.reshape({-1}).nonzero()[0].item<int64_t>();
      throw InvalidArgument(c10::str("layer '", name(), "' (Embedding): ids must be in [0, ", ids_, "), got ",
                                     ids.reshape({-1})[at].item<int64_t>(), " in row ",
                                     context.first_row + at / (ids.numel() / ids.size(0))));
    }
    const Tensor own = ids - first_;
    const Tensor here = (own >= 0) & (own < count_);
    return at::embedding(rows_.value(), own.where(here, 0)).masked_fill(here.logical_not().unsqueeze(-1), 0);
  }

 private:
  int64_t ids_, first_, count_, width_;
  bool mask_zero_;
  Weight rows_;
};

}  // namespace

SplitOrReason split_embedding(const SplitCall& call) {
  const Layer& layer = *call.layer;
  const Config config = layer.get_config();
  const Division rows{1, config.at("input_dim").as_int()};
  if (rows.size < call.place.ranks) return c10::str("has ", rows.size, " rows");
  if (const auto why = why_not_divided(layer, 0, 0); !why.empty()) return why;
  const auto own = std::make_shared<RowsOfEmbedding>(rows, call.place, config.at("output_dim").as_int(),
                                                     config.at("mask_zero").as_bool());
  own->set_name(layer.name());
  own->set_dtype_policy(layer.dtype_policy());
  if (!layer.trainable()) own->set_trainable(false);
  return SplitLayer{.how = "by rows", .layer = own, .adds_up = true};
}

}  // namespace tandem::sharding
