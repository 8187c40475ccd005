#include "tandem/layers/time_distributed.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "tandem/core/error.h"
#include "tandem/layers/layer_calls.h"
#include "tandem/layers/layer_config.h"
#include "tandem/layers/layer_entry.h"
#include "tandem/layers/making_scope.h"
#include "tandem/layers/masks.h"

namespace tandem::layers {
namespace {

// Whose rows have nothing to do with one another, and which have no losses of their own: for them steps may be rows.
constexpr std::array<std::string_view, 16> kByRow{
    "Activation", "Conv1D",    "Conv2D", "Conv3D",       "Dense",        "DepthwiseConv2D",    "Dropout", "Embedding",
    "Flatten",    "LeakyReLU", "ReLU",   "MaxPooling1D", "MaxPooling2D", "LayerNormalization", "Reshape", "Softmax"};

bool is_by_row(const Layer& layer) {
  if (std::find(kByRow.begin(), kByRow.end(), layer.class_name()) == kByRow.end()) return false;
  return layer.get_config().get("activity_regularizer", {}).is_null();
}

class TimeDistributedLayer : public Layer {
 public:
  explicit TimeDistributedLayer(std::shared_ptr<Layer> layer) : layer_(std::move(layer)) {}

  std::string class_name() const override { return "TimeDistributed"; }
  Lowering lowering() const override { return Lowering::kNone; }
  std::vector<std::shared_ptr<Layer>> children() const override { return {layer_}; }
  std::vector<std::pair<std::string, std::shared_ptr<Layer>>> named_children() const override {
    return {{"layer", layer_}};
  }
  Config get_config() const override { return Config::object({{"layer", layer_to_config(*layer_)}}); }
  bool supports_masking() const override { return true; }

  void build(const Shape& input) override { layer_->ensure_built({of_step(input)}); }

  Shape output_shape(const Shape& input) override {
    const Shapes made = layer_->output_shapes({of_step(input)});
    if (made.size() != 1) {
      throw InvalidArgument(c10::str("layer '", name(), "' (TimeDistributed): its layer '", layer_->name(),
                                     "' must have one output, has ", made.size()));
    }
    return made.front().without_batch().with_batch(input[1]).with_batch(input[0]);
  }

  Tensor call(const Tensor& x, const CallContext& context) override {
    output_shape(Shape::of(x.sizes().vec()));
    const Tensor mask = mask_of(x);
    return !mask.defined() && is_by_row(*layer_) ? as_rows(x, context) : step_by_step(x, mask, context);
  }

 private:
  Shape of_step(const Shape& input) const {
    if (input.rank() < 3) throw_shape_error(*this, "input must be (batch, steps, ...), of rank 3 or more", input);
    std::vector<int64_t> sizes = input.sizes();
    sizes.erase(sizes.begin() + 1);
    return Shape::of(sizes);
  }

  Tensor as_rows(const Tensor& x, const CallContext& context) const {
    CallContext own = context;
    own.first_row = context.first_row * x.size(1);
    const Tensor made = run_call(*layer_, nullptr, x.flatten(0, 1), own).front();
    return made.unflatten(0, {x.size(0), x.size(1)});
  }

  Tensor step_by_step(const Tensor& x, const Tensor& mask, const CallContext& context) const {
    std::vector<Tensor> made;
    for (int64_t t = 0; t < x.size(1); ++t) {
      const Tensor step = x.select(1, t);
      if (mask.defined()) set_mask(step, mask.select(1, t));
      made.push_back(run_call(*layer_, nullptr, step, context.part(static_cast<uint64_t>(t))).front());
    }
    if (made.empty()) throw_shape_error(*this, "input must have at least one step", Shape::of(x.sizes().vec()));
    return at::stack(made, 1);
  }

  std::shared_ptr<Layer> layer_;
};

// The first one has the layer itself, its clones have copies.
std::shared_ptr<Layer> make_time_distributed(const std::shared_ptr<Layer>& layer, const std::string& name) {
  MakingScope scope;
  auto wrapper = std::make_shared<TimeDistributedLayer>(layer);
  scope.finish(*wrapper);
  if (!name.empty()) wrapper->set_name(name);
  wrapper->set_recipe([layer, name] { return make_time_distributed(layer->fresh_copy(), name); });
  return wrapper;
}

}  // namespace

TimeDistributed::TimeDistributed(const LayerHandle& layer, TimeDistributedOptions options)
    : LayerHandle(make_time_distributed(layer.get(), options.name)) {}

TimeDistributed TimeDistributed::from_config(const Config& config) {
  return TimeDistributed(layer_from_entry(config.at("layer")));
}

}  // namespace tandem::layers
