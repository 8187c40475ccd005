#include "tandem/layers/dense.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include "tandem/core/error.h"
#include "tandem/layers/activity_loss.h"
#include "tandem/layers/serialization.h"

namespace tandem::layers {
namespace {

class DenseLayer : public Layer {
 public:
  DenseLayer(int64_t units, DenseOptions options) : units_(units), options_(std::move(options)) {
    if (units_ <= 0) throw InvalidArgument(c10::str("Dense: units must be positive, got ", units_));
    options_.activation.check();
    options_.activity_regularizer = resolved(options_.activity_regularizer);
  }

  std::string class_name() const override { return "Dense"; }
  bool supports_masking() const override { return true; }

  Config get_config() const override {
    Config config = Config::object({{"units", units_},
                                    {"activation", to_config(options_.activation, "Dense")},
                                    {"use_bias", options_.use_bias},
                                    {"kernel_initializer", to_config(options_.kernel_initializer)},
                                    {"bias_initializer", to_config(options_.bias_initializer)},
                                    {"kernel_regularizer", to_config(options_.kernel_regularizer)},
                                    {"bias_regularizer", to_config(options_.bias_regularizer)},
                                    {"kernel_constraint", to_config(options_.kernel_constraint)},
                                    {"bias_constraint", to_config(options_.bias_constraint)},
                                    {"quantization_config", {}}});
    // Keras writes this one only where there is one.
    if (!options_.activity_regularizer.empty())
      config.set("activity_regularizer", to_config(options_.activity_regularizer));
    return config;
  }

  void build(const Shape& input) override {
    if (input.rank() < 2) throw_shape_error(*this, "input must have rank 2 or more", input);
    if (input.back() <= 0) throw_shape_error(*this, "the last axis of the input must be known and positive", input);
    in_ = input.back();
    kernel_ = add_weight("kernel", {in_, units_},
                         {.initializer = options_.kernel_initializer,
                          .regularizer = options_.kernel_regularizer,
                          .constraint = options_.kernel_constraint});
    if (options_.use_bias) {
      bias_ = add_weight("bias", {units_},
                         {.initializer = options_.bias_initializer,
                          .regularizer = options_.bias_regularizer,
                          .constraint = options_.bias_constraint});
    }
  }

  Shape output_shape(const Shape& input) override {
    if (input.rank() < 2 || input.back() != in_) throw_wrong_input(input);
    Shape out = input;
    out[-1] = units_;
    return out;
  }

  Tensor call(const Tensor& x, const CallContext& context) override {
    if (x.dim() < 2 || x.size(-1) != in_) throw_wrong_input(Shape::of(x.sizes().vec()));
    const Tensor out = options_.activation(product(x), context);
    add_activity_loss(options_.activity_regularizer, out, context);
    return out;
  }

 private:
  Tensor product(const Tensor& x) const {
    if (!bias_.defined()) return at::matmul(x, kernel_.value());
    if (x.dim() == 2) return at::addmm(bias_.value(), x, kernel_.value());
    // One product for all leading axes.
    auto sizes = x.sizes().vec();
    sizes.back() = units_;
    return at::addmm(bias_.value(), x.reshape({-1, in_}), kernel_.value()).view(sizes);
  }

  [[noreturn]] void throw_wrong_input(const Shape& got) const {
    throw_shape_error(*this, c10::str("the last axis of the input must be ", in_, ", as when it was built"), got);
  }

  int64_t units_;
  DenseOptions options_;
  int64_t in_ = 0;
  Weight kernel_, bias_;
};

}  // namespace

Dense::Dense(int64_t units, DenseOptions options)
    : LayerHandle(make_remembered<DenseLayer>(options.name, units, options)) {}

Dense Dense::from_config(const Config& config) {
  refuse_settings(config, "Dense", {"lora_rank", "quantization_config"});
  return Dense(config.at("units").as_int(),
               {.activation = activation_from(config, "activation"),
                .use_bias = config.get("use_bias", true).as_bool(),
                .kernel_initializer = initializer_from(config, "kernel_initializer", "glorot_uniform"),
                .bias_initializer = initializer_from(config, "bias_initializer", "zeros"),
                .kernel_regularizer = regularizer_from(config, "kernel_regularizer"),
                .bias_regularizer = regularizer_from(config, "bias_regularizer"),
                .activity_regularizer = regularizer_from(config, "activity_regularizer"),
                .kernel_constraint = constraint_from(config, "kernel_constraint"),
                .bias_constraint = constraint_from(config, "bias_constraint")});
}

}  // namespace tandem::layers
