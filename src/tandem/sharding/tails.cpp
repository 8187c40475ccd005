// What follows the sum or the gathering of a split layer's parts.
#include <ATen/ATen.h>

#include "tandem/layers/activation_function.h"
#include "tandem/sharding/split_layer.h"

namespace tandem::sharding {
namespace {

class Tail final : public Layer {
 public:
  Tail(bool bias, const std::string& activation) : has_bias_(bias), activation_(activation) {}

  std::string class_name() const override { return "SplitTail"; }
  Lowering lowering() const override {
    return activation_.name().ends_with("softmax") && !has_bias_ ? Lowering::kOutputs : Lowering::kAll;
  }
  bool supports_masking() const override { return true; }
  Shape output_shape(const Shape& input) override {
    return activation_.name() == "glu" ? Layer::output_shape(input) : input;
  }

  void build(const Shape& input) override {
    if (has_bias_) bias_ = add_weight("bias", {input.back()}, {.initializer = "zeros"});
  }

  Tensor call(const Tensor& x, const CallContext& context) override {
    return activation_(has_bias_ ? x + bias_.value() : x, context);
  }

 private:
  bool has_bias_;
  ActivationFunction activation_;
  Weight bias_;
};

class Shift final : public Layer {
 public:
  Shift(Weight weight, double factor) : weight_(std::move(weight)), factor_(factor) {}

  std::string class_name() const override { return "SplitShift"; }
  bool supports_masking() const override { return true; }
  Shape output_shape(const Shape& input) override { return input; }
  Tensor call(const Tensor& x, const CallContext&) override { return at::add(x, weight_.value(), factor_); }

 private:
  Weight weight_;
  double factor_;
};

template <class L>
std::shared_ptr<Layer> belonging_to(const Layer& layer, std::shared_ptr<L> made, const char* suffix) {
  made->set_name(layer.name() + suffix);
  made->set_dtype_policy(layer.dtype_policy());
  if (!layer.trainable()) made->set_trainable(false);
  return made;
}

}  // namespace

std::shared_ptr<Layer> make_tail(const Layer& layer, bool bias, const std::string& activation) {
  if (!bias && activation == "linear") return nullptr;
  return belonging_to(layer, std::make_shared<Tail>(bias, activation), "/tail");
}

std::shared_ptr<Layer> make_shift(const Layer& layer, const Weight& weight, double factor) {
  return belonging_to(layer, std::make_shared<Shift>(weight, factor), factor < 0 ? "/without bias" : "/bias");
}

}  // namespace tandem::sharding
