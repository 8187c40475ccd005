#include "tandem/layers/lambda.h"

#include <c10/util/StringUtil.h>

#include "tandem/core/error.h"
#include "tandem/core/registry.h"
#include "tandem/layers/shape_config.h"

namespace tandem {
namespace {

using Function = std::function<Tensor(const Tensor&)>;

Registry<Function>& function_registry() {
  static const Catalog<Function> none("function", {});
  static Registry<Function> registry(none);
  return registry;
}

class LambdaLayer : public Layer {
 public:
  LambdaLayer(Function function, const std::string& registered_name, const Shape& output_shape)
      : function_(std::move(function)), registered_name_(registered_name), output_shape_(output_shape) {}

  std::string class_name() const override { return "Lambda"; }

  Config get_config() const override {
    if (registered_name_.empty()) {
      throw InvalidArgument(c10::str("layer '", name(),
                                     "' (Lambda): its function has no name that a file could hold; give it one by "
                                     "register_function and make the layer by that name"));
    }
    Config config = Config::object({{"function", Config::object({{"module", "builtins"},
                                                                 {"class_name", "function"},
                                                                 {"config", registered_name_},
                                                                 {"registered_name", "function"}})}});
    if (!output_shape_.empty()) config.set("output_shape", shape_to_config(output_shape_));
    return config.set("arguments", Config::object());
  }

  Shape output_shape(const Shape& input) override {
    if (output_shape_.empty()) return Layer::output_shape(input);
    return output_shape_.with_batch(input.empty() ? Shape::kUnknown : input[0]);
  }

  Tensor call(const Tensor& x, const CallContext&) override { return function_(x); }

 private:
  Function function_;
  std::string registered_name_;  // with its package; empty: none
  Shape output_shape_;
};

}  // namespace

void register_function(const std::string& name, Function function) {
  function_registry().add(name, std::move(function));
}

namespace layers {

Lambda::Lambda(Function function, const std::string& registered_name, const LambdaOptions& options)
    : LayerHandle(
          make_remembered<LambdaLayer>(options.name, std::move(function), registered_name, options.output_shape)) {}

Lambda::Lambda(const std::string& registered_name, const LambdaOptions& options)
    : Lambda(function_registry().at(registered_name), function_registry().full_name(registered_name), options) {}

Lambda Lambda::from_config(const Config& config) {
  const Config function = config.at("function");
  const std::string kind = function.is_object() ? function.get("class_name", "").as_string() : "";
  if (!function.is_object() || kind == "__lambda__")
    throw DataError(
        "Lambda: its function is Python code, which is not run; write it as a layer or a function of your "
        "program, register that, and save the model with its name");
  for (const char* member : {"output_shape", "mask"}) {
    const Config value = config.get(member, {});
    if (value.is_object()) throw DataError(c10::str("Lambda: '", member, "' is Python code, which is not run"));
  }
  const Config arguments = config.get("arguments", {});
  if (!arguments.is_null() && !arguments.as_object().empty())
    throw DataError("Lambda: arguments are not supported and must be empty, got " + arguments.shown());
  const Config shape = config.get("output_shape", {});
  LambdaOptions options;
  if (!shape.is_null()) options.output_shape = shape_from_config(shape);
  return Lambda(function.at("config").as_string(), options);
}

}  // namespace layers
}  // namespace tandem
