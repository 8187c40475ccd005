#include "tandem/layers/operation.h"

#include <ATen/ATen.h>
#include <ATen/ScalarOps.h>
#include <c10/core/GradMode.h>
#include <c10/util/Exception.h>
#include <c10/util/StringUtil.h>

#include <functional>

#include "tandem/core/error.h"
#include "tandem/layers/layer_calls.h"

namespace tandem {
namespace {

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

// Zeros to try an operation on; unknown sizes are `unknown`.
Tensors trial_inputs(const Shapes& shapes, int64_t unknown) {
  Tensors made;
  for (const auto& shape : shapes) {
    auto sizes = shape.sizes();
    for (auto& size : sizes) size = size == Shape::kUnknown ? unknown : size;
    made.push_back(at::zeros(sizes));
  }
  return made;
}

}  // namespace

OperationLayer::OperationLayer(std::string class_name, const OperationKind& kind, Config settings)
    : class_name_(std::move(class_name)), kind_(kind), settings_(std::move(settings)) {}

Tensor OperationLayer::compute(const CallArguments& arguments, const Tensors& inputs) const {
  arguments.check_keywords({});
  const bool list = kind_.operands == 0;
  const bool fits = arguments.args.size() == (list ? 1 : kind_.operands);
  if (!fits || (list && !arguments.args.front().is_list())) {
    throw InvalidArgument(c10::str("operation '", name(), "' (", class_name_, "): must get ",
                                   list ? "one list of tensors" : c10::str(kind_.operands, " operands"), ", got ",
                                   Config(arguments.args).shown()));
  }
  std::vector<Tensor> operands;
  for (const auto& operand : list ? arguments.args.front().as_list() : arguments.args) {
    if (const auto number = CallArguments::tensor_number(operand)) {
      operands.push_back(inputs[*number]);
    } else if (operand.is_number()) {
      const at::Scalar value = operand.is_int() ? at::Scalar(operand.as_int()) : at::Scalar(operand.as_double());
      operands.push_back(at::native::wrapped_scalar_tensor(value));
    } else {
      throw InvalidArgument(c10::str("operation '", name(), "' (", class_name_,
                                     "): operands must be tensors or numbers, got ", operand.shown()));
    }
  }
  try {
    return kind_.compute(operands, settings_);
  } catch (const c10::Error& error) {
    std::string shapes;
    for (const auto& x : inputs) shapes += c10::str(shapes.empty() ? "" : ", ", Shape::of(x.sizes().vec()));
    throw InvalidArgument(c10::str("operation '", name(), "' (", class_name_, "): inputs must fit together, got ",
                                   shapes, ": ", first_line(error.what_without_backtrace())));
  }
}

Shapes OperationLayer::output_shapes_for(const CallArguments& arguments, const Shapes& inputs) {
  // What follows from unknown sizes differs with them.
  const c10::NoGradGuard no_grad;
  const Tensor a = compute(arguments, trial_inputs(inputs, 2)), b = compute(arguments, trial_inputs(inputs, 3));
  auto sizes = a.sizes().vec();
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] != b.size(static_cast<int64_t>(i))) sizes[i] = Shape::kUnknown;
  }
  return {Shape::of(sizes)};
}

Tensors OperationLayer::call_for(const CallArguments& arguments, const Tensors& inputs, const CallContext&) {
  return compute(arguments, inputs);
}

Shapes OperationLayer::shapes_to_build(const CallArguments&, const Shapes& inputs) const { return inputs; }

void OperationLayer::build_many(const Shapes&) {}

CallArguments OperationLayer::plain_arguments(std::size_t inputs) const {
  CallArguments arguments;
  for (std::size_t i = 0; i < inputs; ++i) arguments.args.push_back(CallArguments::tensor(static_cast<int64_t>(i)));
  if (kind_.operands == 0) arguments.args = {Config(std::move(arguments.args))};
  return arguments;
}

LayerHandle operation_from_config(const std::string& class_name, const std::string& module, const Config& config) {
  const auto& kind = operation_kind(class_name, module);
  Config settings = kind.settings;
  for (const auto& [key, value] : config.as_object()) {
    if (key == "name" || key == "dtype") continue;
    if (settings.contains(key) && key != "initial") {
      settings.set(key, value);
    } else if (!value.is_null()) {
      throw InvalidArgument(
          c10::str("operation '", class_name, "': setting '", key, "' is not supported, got ", value.shown()));
    }
  }
  LayerHandle operation(make_remembered<OperationLayer>("", class_name, std::cref(kind), settings));
  if (const Config name = config.get("name", {}); !name.is_null()) operation->set_name(name.as_string());
  return operation;
}

KerasTensor add_operation(const std::string& class_name, const Config& settings, const KerasTensors& tensors,
                          const Config::List& operands) {
  const LayerHandle operation = operation_from_config(class_name, {}, settings);
  auto arguments = std::make_shared<CallArguments>();
  arguments->args = operands;
  return call_in_graph(operation.get(), tensors, std::move(arguments)).front();
}

}  // namespace tandem
