#include "tandem/layers/einsum_dense.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include <algorithm>

#include "tandem/core/error.h"
#include "tandem/layers/activity_loss.h"
#include "tandem/layers/einsum_equation.h"
#include "tandem/layers/serialization.h"
#include "tandem/layers/shape_config.h"
#include "tandem/layers/weight_config.h"

namespace tandem::layers {
namespace {

/// The initializer, told which of the kernel's axes make the fans if it asks for them and has not been told.
Handle<Initializer> with_fans(const Handle<Initializer>& given, const std::string& kernel, const std::string& output) {
  const auto initializer = given.get();
  Config config = initializer->get_config();
  if (!config.contains("input_axes")) return given;
  if (!config.at("input_axes").is_null() && !config.at("output_axes").is_null()) return given;
  std::vector<int64_t> inputs, outputs;
  for (std::size_t i = 0; i < kernel.size(); ++i) {
    (output.find(kernel[i]) == std::string::npos ? inputs : outputs).push_back(static_cast<int64_t>(i));
  }
  config.set("input_axes", Config::list(inputs));
  config.set("output_axes", Config::list(outputs));
  return Initializer::make(initializer->class_name(), config);
}

class EinsumDenseLayer : public Layer {
 public:
  EinsumDenseLayer(const std::string& equation, Shape output_shape, const EinsumDenseOptions& options)
      : equation_(equation),
        partial_output_(std::move(output_shape)),
        activation_(options.activation),
        bias_axes_(options.bias_axes),
        activity_regularizer_(resolved(options.activity_regularizer)),
        kernel_options_{.initializer = options.kernel_initializer,
                        .regularizer = options.kernel_regularizer,
                        .constraint = options.kernel_constraint},
        bias_options_{.initializer = options.bias_initializer,
                      .regularizer = options.bias_regularizer,
                      .constraint = options.bias_constraint} {
    activation_.check();
    for (const char label : bias_axes_) {
      if (equation_.output().find(label) != std::string::npos) continue;
      throw InvalidArgument(
          c10::str("EinsumDense: bias_axes must be axes of the output of '", equation, "', got '", bias_axes_, "'"));
    }
  }

  std::string class_name() const override { return "EinsumDense"; }

  Config get_config() const override {
    Config config = Config::object({{"output_shape", shape_to_config(partial_output_)},
                                    {"equation", equation_.text()},
                                    {"activation", to_config(activation_, "EinsumDense")},
                                    {"bias_axes", bias_axes_.empty() ? Config() : Config(bias_axes_)}});
    add_weight_config(config, "kernel", kernel_options_);
    add_weight_config(config, "bias", bias_options_);
    config.set("activity_regularizer", to_config(activity_regularizer_));
    config.set("quantization_config", {});
    return config;
  }

  void build(const Shape& input) override {
    const auto shapes = shapes_for(input);
    WeightOptions kernel = kernel_options_;
    kernel.initializer = with_fans(kernel.initializer, equation_.kernel(), equation_.output());
    kernel_ = add_weight("kernel", shapes.kernel, kernel);
    if (!bias_axes_.empty()) bias_ = add_weight("bias", bias_shape(shapes, input), bias_options_);
  }

  Shape output_shape(const Shape& input) override {
    const auto shapes = shapes_for(input);
    if (shapes.kernel != kernel_.shape()) {
      throw_shape_error(*this, c10::str("input must fit the kernel ", kernel_.shape(), " that was built for it"),
                        input);
    }
    return shapes.output;
  }

  Tensor call(const Tensor& x, const CallContext& context) override {
    output_shape(Shape::of(x.sizes().vec()));
    Tensor out = at::einsum(equation_.text(), {x, kernel_.value()}).contiguous();
    if (bias_.defined()) out = out + bias_.value();
    out = activation_(out, context);
    add_activity_loss(activity_regularizer_, out, context);
    return out;
  }

 private:
  EinsumEquation::Shapes shapes_for(const Shape& input) const {
    try {
      return equation_.shapes(input, partial_output_);
    } catch (const InvalidArgument& error) {
      throw InvalidArgument(c10::str("layer '", name(), "' (EinsumDense): ", error.what()));
    }
  }

  /// From the first of bias_axes to the output's end; 1 where an axis is not among them.
  Shape bias_shape(const EinsumEquation::Shapes& shapes, const Shape& input) const {
    std::vector<int64_t> sizes;
    for (const char label : shapes.labels) {
      const bool has_bias = bias_axes_.find(label) != std::string::npos;
      if (sizes.empty() && !has_bias) continue;
      sizes.push_back(has_bias ? shapes.size_of(label) : 1);
      if (sizes.back() == Shape::kUnknown) {
        throw_shape_error(*this, c10::str("the output's axis '", label, "' must have a known size for its bias"),
                          input);
      }
    }
    return Shape::of(sizes);
  }

  EinsumEquation equation_;
  Shape partial_output_;  // without the batch and what "..." stands for
  ActivationFunction activation_;
  std::string bias_axes_;
  Handle<Regularizer> activity_regularizer_;
  WeightOptions kernel_options_, bias_options_;
  Weight kernel_, bias_;
};

}  // namespace

EinsumDense::EinsumDense(std::string equation, Shape output_shape, EinsumDenseOptions options)
    : LayerHandle(
          make_remembered<EinsumDenseLayer>(options.name, std::move(equation), std::move(output_shape), options)) {}

EinsumDense EinsumDense::from_config(const Config& config) {
  refuse_settings(config, "EinsumDense", {"lora_rank", "gptq_unpacked_column_size", "quantization_config"});
  const WeightOptions kernel = weight_options_from(config, "kernel", "glorot_uniform");
  const WeightOptions bias = weight_options_from(config, "bias", "zeros");
  const Config axes = config.get("bias_axes", {}), sizes = config.at("output_shape");
  return EinsumDense(config.at("equation").as_string(),
                     sizes.is_list() ? shape_from_config(sizes) : Shape{sizes.as_int()},
                     {.activation = activation_from(config, "activation"),
                      .bias_axes = axes.is_null() ? "" : axes.as_string(),
                      .kernel_initializer = kernel.initializer,
                      .bias_initializer = bias.initializer,
                      .kernel_regularizer = kernel.regularizer,
                      .bias_regularizer = bias.regularizer,
                      .activity_regularizer = regularizer_from(config, "activity_regularizer"),
                      .kernel_constraint = kernel.constraint,
                      .bias_constraint = bias.constraint});
}

}  // namespace tandem::layers
