#include "tandem/sharding/split_layer.h"

#include <c10/util/StringUtil.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <typeinfo>

#include "tandem/core/error.h"
#include "tandem/layers/axes.h"
#include "tandem/layers/catalog.h"
#include "tandem/layers/operation.h"

namespace tandem::sharding {
namespace {

using SplitKind = SplitOrReason (*)(const SplitCall&);

// By Keras's class name.
const std::map<std::string, SplitKind>& split_kinds() {
  static const std::map<std::string, SplitKind> kinds{
      {"Dense", split_dense},
      {"Conv1D", split_convolution},
      {"Conv2D", split_convolution},
      {"Conv3D", split_convolution},
      {"Embedding", split_embedding},
      {"MultiHeadAttention", split_attention},
      {"GroupQueryAttention", split_attention},
      {"LSTM", split_lstm},
      {"Dropout", split_noise},
      {"SpatialDropout1D", split_noise},
      {"SpatialDropout2D", split_noise},
      {"SpatialDropout3D", split_noise},
      {"GaussianDropout", split_noise},
  };
  return kinds;
}

// A program's own class may have any name.
bool comes_with_tandem(const Layer& layer) {
  const auto names = layer_class_names();
  if (std::find(names.begin(), names.end(), layer.class_name()) == names.end()) return false;
  const auto like = layer_from_config(layer.class_name(), layer.get_config()).get();
  const Layer& made = *like;
  return typeid(made) == typeid(layer);
}

}  // namespace

SplitOrReason split_layer(const SplitCall& call) {
  if (call.outputs != 1) return "has several outputs";
  if (dynamic_cast<const OperationLayer*>(call.layer.get())) return split_channels(call);
  const auto found = split_kinds().find(call.layer->class_name());
  try {
    if (!comes_with_tandem(*call.layer)) return "is a class of the program's own";
    return found == split_kinds().end() ? split_channels(call) : found->second(call);
  } catch (const Error& error) {  // its config cannot be written: callables of the program's own
    return std::string("cannot be made again: ") + error.what();
  }
}

std::shared_ptr<Layer> layer_in_place_of(const Layer& layer, Config config) {
  const Config given = config;
  for (const auto& [key, value] : given.as_object()) {
    if (key.ends_with("_initializer")) config.set(key, "zeros");
    if (key.ends_with("_regularizer") || key.ends_with("_constraint")) config.set(key, {});
  }
  const auto made = layer_from_config(layer.class_name(), config).get();
  made->set_name(layer.name());
  made->set_dtype_policy(layer.dtype_policy());
  if (!layer.trainable()) made->set_trainable(false);
  return made;
}

bool is_elementwise(const std::string& activation) {
  static const std::set<std::string> not_elementwise{"softmax", "log_softmax", "sparsemax", "glu"};
  return !not_elementwise.contains(activation);
}

std::string why_not_divided(const Layer& layer, std::size_t i, int64_t axis) {
  const auto weights = layer.weights();
  if (i >= weights.size()) return {};
  const auto& variable = weights[i].variable();
  static const std::set<std::string> sums{"L1", "L2", "L1L2"};
  if (variable.regularizer && !sums.contains(variable.regularizer->class_name()))
    return c10::str("regularizer ", variable.regularizer->class_name(), " needs '", variable.name, "' whole");
  if (!variable.constraint || variable.constraint->class_name() == "NonNeg") return {};
  static const std::set<std::string> norms{"MaxNorm", "UnitNorm", "MinMaxNorm"};
  if (norms.contains(variable.constraint->class_name())) {
    const auto axes = Axes::from_config(variable.constraint->get_config().at("axis"));
    const auto over = axes.of_rank("constraint", variable.shape.rank());
    if (std::find(over.begin(), over.end(), axis) == over.end()) return {};
  }
  return c10::str("constraint ", variable.constraint->class_name(), " needs '", variable.name, "' whole");
}

}  // namespace tandem::sharding
