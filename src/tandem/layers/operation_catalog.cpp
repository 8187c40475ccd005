// One row an operation of keras.ops.
#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include <optional>

#include "tandem/core/catalog.h"
#include "tandem/layers/activations.h"
#include "tandem/layers/axes.h"
#include "tandem/layers/operation.h"

namespace tandem {
namespace {

using Operands = std::vector<Tensor>;

const char* const kNumpy = "keras.src.ops.numpy";
const char* const kNn = "keras.src.ops.nn";

Config setting(const char* name, Config value) { return Config::object({{name, std::move(value)}}); }
Config reduction() { return Config::object({{"axis", {}}, {"keepdims", false}}); }
Config reduction_from_initial() { return reduction().set("initial", {}); }

/// The axes of "axis"; all where it is null.
std::vector<int64_t> axes_of(const Config& settings, const Tensor& x) {
  const Config axis = settings.at("axis");
  if (!axis.is_null()) return Axes::from_config(axis).of_rank("operation", x.dim());
  std::vector<int64_t> all;
  for (int64_t i = 0; i < x.dim(); ++i) all.push_back(i);
  return all;
}
bool keeps(const Config& settings) { return settings.at("keepdims").as_bool(); }

template <Tensor (*kFunction)(const Tensor&)>
Tensor unary(const Operands& x, const Config&) {
  return kFunction(x[0]);
}
template <Tensor (*kFunction)(const Tensor&, const Tensor&)>
Tensor binary(const Operands& x, const Config&) {
  return kFunction(x[0], x[1]);
}

template <Tensor (*kFunction)(const Tensor&)>
OperationKind one(const char* module) {
  return {module, 1, Config::object(), unary<kFunction>};
}
template <Tensor (*kFunction)(const Tensor&, const Tensor&)>
OperationKind two(const char* dtype = "float32") {
  return {kNumpy, 2, Config::object(), binary<kFunction>, dtype};
}

Tensor sum_of_operands(const Tensor& a, const Tensor& b) { return a + b; }
Tensor difference_of(const Tensor& a, const Tensor& b) { return a - b; }
Tensor floor_quotient(const Tensor& a, const Tensor& b) { return at::floor_divide(a, b); }
Tensor rest_of(const Tensor& a, const Tensor& b) { return at::remainder(a, b); }

Tensor transposed(const Operands& x, const Config& settings) {
  const Config axes = settings.at("axes");
  if (!axes.is_null()) return x[0].permute(axes.as_ints());
  std::vector<int64_t> reversed;
  for (int64_t i = x[0].dim(); i-- > 0;) reversed.push_back(i);
  return x[0].permute(reversed);
}

Tensor squeezed(const Operands& x, const Config& settings) {
  const Config axis = settings.at("axis");
  return axis.is_null() ? x[0].squeeze() : x[0].squeeze(Axes::from_config(axis).of_rank("Squeeze", x[0].dim()));
}

Tensor expanded(const Operands& x, const Config& settings) {
  Tensor out = x[0];
  const auto axes = Axes::from_config(settings.at("axis"));
  for (const auto axis : axes.of_rank("ExpandDims", x[0].dim() + static_cast<int64_t>(axes.numbers().size())))
    out = out.unsqueeze(axis);
  return out;
}

const Catalog<OperationKind>& operation_table() {
  static const Catalog<OperationKind> table(
      "operation",
      {
          {"Add", two<sum_of_operands>()},
          {"Subtract", two<difference_of>()},
          {"Multiply", two<at::mul>()},
          {"Divide", two<at::true_divide>()},
          {"TrueDivide", two<at::true_divide>()},
          {"FloorDivide", two<floor_quotient>()},
          {"Mod", two<rest_of>()},
          {"Power", two<at::pow>()},
          {"Maximum", two<at::maximum>()},
          {"Minimum", two<at::minimum>()},
          {"Matmul", two<at::matmul>()},
          {"Equal", two<at::eq>("bool")},
          {"NotEqual", two<at::ne>("bool")},
          {"Less", two<at::lt>("bool")},
          {"LessEqual", two<at::le>("bool")},
          {"Greater", two<at::gt>("bool")},
          {"GreaterEqual", two<at::ge>("bool")},
          {"LogicalAnd", two<at::logical_and>("bool")},
          {"LogicalOr", two<at::logical_or>("bool")},
          {"LogicalNot", {kNumpy, 1, Config::object(), unary<at::logical_not>, "bool"}},
          {"Negative", one<at::neg>(kNumpy)},
          {"Absolute", one<at::abs>(kNumpy)},
          {"Exp", one<at::exp>(kNumpy)},
          {"Log", one<at::log>(kNumpy)},
          {"Sqrt", one<at::sqrt>(kNumpy)},
          {"Square", one<at::square>(kNumpy)},
          {"Sign", one<at::sign>(kNumpy)},
          {"Sin", one<at::sin>(kNumpy)},
          {"Cos", one<at::cos>(kNumpy)},
          {"Tanh", one<at::tanh>(kNumpy)},
          {"Clip",
           {kNumpy, 1, Config::object({{"x_min", {}}, {"x_max", {}}}),
            [](const Operands& x, const Config& s) {
              const auto bound = [&](const char* name) -> std::optional<at::Scalar> {
                if (s.at(name).is_null()) return {};
                return at::Scalar(s.at(name).as_double());
              };
              return at::clamp(x[0], bound("x_min"), bound("x_max"));
            }}},
          {"Mean",
           {kNumpy, 1, reduction(),
            [](const Operands& x, const Config& s) { return x[0].mean(axes_of(s, x[0]), keeps(s)); }}},
          {"Sum",
           {kNumpy, 1, reduction(),
            [](const Operands& x, const Config& s) { return x[0].sum(axes_of(s, x[0]), keeps(s)); }}},
          {"Max",
           {kNumpy, 1, reduction_from_initial(),
            [](const Operands& x, const Config& s) { return x[0].amax(axes_of(s, x[0]), keeps(s)); }}},
          {"Min",
           {kNumpy, 1, reduction_from_initial(),
            [](const Operands& x, const Config& s) { return x[0].amin(axes_of(s, x[0]), keeps(s)); }}},
          {"Var",
           {kNumpy, 1, reduction(),
            [](const Operands& x, const Config& s) { return x[0].var(axes_of(s, x[0]), 0, keeps(s)); }}},
          {"Std",
           {kNumpy, 1, reduction(),
            [](const Operands& x, const Config& s) { return x[0].std(axes_of(s, x[0]), 0, keeps(s)); }}},
          {"Concatenate",
           {kNumpy, 0, setting("axis", 0),
            [](const Operands& x, const Config& s) { return at::cat(x, s.at("axis").as_int()); }}},
          {"Stack",
           {kNumpy, 0, setting("axis", 0),
            [](const Operands& x, const Config& s) { return at::stack(x, s.at("axis").as_int()); }}},
          {"Reshape",
           {kNumpy, 1, setting("newshape", {}),
            [](const Operands& x, const Config& s) { return x[0].reshape(s.at("newshape").as_ints()); }}},
          {"Transpose", {kNumpy, 1, setting("axes", {}), transposed}},
          {"ExpandDims", {kNumpy, 1, setting("axis", {}), expanded}},
          {"Squeeze", {kNumpy, 1, setting("axis", {}), squeezed}},
          {"Relu", one<at::relu>(kNn)},
          {"Relu6", one<at::relu6>(kNn)},
          {"Sigmoid", one<at::sigmoid>(kNn)},
          {"LogSigmoid", one<at::log_sigmoid>(kNn)},
          {"HardSigmoid", one<activations::hard_sigmoid>(kNn)},
          {"Silu", one<activations::silu>(kNn)},
          {"Selu", one<activations::selu>(kNn)},
          {"Softplus", one<activations::softplus>(kNn)},
          {"Softsign", one<activations::softsign>(kNn)},
          {"LeakyRelu",
           {kNn, 1, setting("negative_slope", 0.2),
            [](const Operands& x, const Config& s) {
              return at::leaky_relu(x[0], s.at("negative_slope").as_double());
            }}},
          {"Elu",
           {kNn, 1, setting("alpha", 1.0),
            [](const Operands& x, const Config& s) { return at::elu(x[0], s.at("alpha").as_double()); }}},
          {"Gelu",
           {kNn, 1, setting("approximate", true),
            [](const Operands& x, const Config& s) { return activations::gelu(x[0], s.at("approximate").as_bool()); }}},
          {"Softmax",
           {kNn, 1, setting("axis", -1),
            [](const Operands& x, const Config& s) { return at::softmax(x[0], s.at("axis").as_int()); }}},
          {"LogSoftmax",
           {kNn, 1, setting("axis", -1),
            [](const Operands& x, const Config& s) { return at::log_softmax(x[0], s.at("axis").as_int()); }}},
      });
  return table;
}

}  // namespace

const OperationKind& operation_kind(const std::string& class_name, const std::string& module) {
  const auto& kind = operation_table().at(class_name);
  if (!module.empty() && kind.module != module) {
    throw InvalidArgument(
        c10::str("operation '", class_name, "' must be of the module ", kind.module, ", is of ", module));
  }
  return kind;
}

}  // namespace tandem
