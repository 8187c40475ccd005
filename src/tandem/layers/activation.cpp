#include "tandem/layers/activation.h"

#include "tandem/core/error.h"
#include "tandem/layers/serialization.h"

namespace tandem::layers {
namespace {

class ActivationLayer : public Layer {
 public:
  explicit ActivationLayer(ActivationFunction activation) : activation_(std::move(activation)) { activation_.check(); }

  std::string class_name() const override { return "Activation"; }
  Lowering lowering() const override {
    return activation_.name().ends_with("softmax") ? Lowering::kOutputs : Lowering::kAll;
  }
  bool supports_masking() const override { return true; }
  Config get_config() const override { return Config::object({{"activation", to_config(activation_, "Activation")}}); }

  Shape output_shape(const Shape& input) override {
    // A callable may return any shape, and glu does: those are asked by the base's dry run.
    const bool keeps_shape = activation_.is_linear() || (!activation_.name().empty() && activation_.name() != "glu");
    return keeps_shape ? input : Layer::output_shape(input);
  }

  Tensor call(const Tensor& x, const CallContext& context) override { return activation_(x, context); }

  bool is_relu() const override { return activation_.name() == "relu"; }

 private:
  ActivationFunction activation_;
};

}  // namespace

Activation::Activation(ActivationFunction activation, ActivationOptions options)
    : LayerHandle(make_remembered<ActivationLayer>(options.name, std::move(activation))) {}

Activation Activation::from_config(const Config& config) { return Activation(activation_from(config, "activation")); }

}  // namespace tandem::layers
