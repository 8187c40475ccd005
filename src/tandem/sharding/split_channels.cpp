// What computes each channel by itself goes on with the channels that a rank has.
#include <algorithm>
#include <set>

#include "tandem/layers/operation.h"
#include "tandem/sharding/split_layer.h"

namespace tandem::sharding {
namespace {

// Have no weights, and do for one channel what they do for many.
bool goes_by_channel(const Layer& layer) {
  static const std::set<std::string> names{"ReLU",
                                           "LeakyReLU",
                                           "ELU",
                                           "Identity",
                                           "MaxPooling1D",
                                           "MaxPooling2D",
                                           "MaxPooling3D",
                                           "AveragePooling1D",
                                           "AveragePooling2D",
                                           "AveragePooling3D",
                                           "GlobalMaxPooling1D",
                                           "GlobalMaxPooling2D",
                                           "GlobalMaxPooling3D",
                                           "GlobalAveragePooling1D",
                                           "GlobalAveragePooling2D",
                                           "GlobalAveragePooling3D",
                                           "ZeroPadding1D",
                                           "ZeroPadding2D",
                                           "ZeroPadding3D",
                                           "Cropping1D",
                                           "Cropping2D",
                                           "Cropping3D",
                                           "UpSampling1D",
                                           "UpSampling2D",
                                           "UpSampling3D",
                                           "Add",
                                           "Subtract",
                                           "Multiply",
                                           "Average",
                                           "Maximum",
                                           "Minimum"};
  return names.contains(layer.class_name());
}

// Each channel has a kernel of its own.
SplitOrReason split_depthwise(const SplitCall& call) {
  const Layer& layer = *call.layer;
  const Config config = layer.get_config();
  if (!config.get("activity_regularizer", {}).is_null()) return "has an activity_regularizer";
  if (config.at("depth_multiplier").as_int() != 1) return "has a depth_multiplier";
  const Config& activation = config.at("activation");
  const std::string function = activation.is_null() ? "linear" : activation.as_string();
  if (!is_elementwise(function) || (call.is_output && function == "sigmoid")) return "needs its output whole";
  for (const std::size_t i : {0, 1}) {
    if (const auto why = why_not_divided(layer, i, i == 0 ? call.shapes.front().rank() - 2 : 0); !why.empty())
      return why;
  }
  const auto& in = call.inputs.front();
  return SplitLayer{.how = "its channels", .takes = in, .layer = layer_in_place_of(layer, config), .gives = in};
}

bool operates_by_element(const OperationLayer& layer) {
  static const std::set<std::string> names{"Add",     "Subtract", "Multiply", "Divide",  "TrueDivide", "Maximum",
                                           "Minimum", "Negative", "Absolute", "Exp",     "Square",     "Tanh",
                                           "Relu",    "Sigmoid",  "Silu",     "Softplus"};
  return names.contains(layer.class_name());
}

}  // namespace

SplitOrReason split_channels(const SplitCall& call) {
  const Layer& layer = *call.layer;
  const auto& in = call.inputs.front();
  if (in.whole()) return "its input is whole";
  for (const auto& other : call.inputs) {
    if (other != in) return "its inputs are divided in different ways";
  }
  const std::string name = layer.class_name();
  const SplitLayer same{.how = "its channels", .takes = in, .layer = call.layer, .gives = in};
  if (const auto* operation = dynamic_cast<const OperationLayer*>(&layer)) {
    const auto rank = call.shapes.front().rank();
    const bool one_rank =
        std::all_of(call.shapes.begin(), call.shapes.end(), [&](const Shape& shape) { return shape.rank() == rank; });
    if (operates_by_element(*operation) && one_rank && !call.is_output) return same;
    return "needs its inputs whole";
  }
  if (name == "Flatten") {
    const Shape row = call.shapes.front().without_batch();
    if (!row.is_known()) return "its input's size is not known";
    auto flat = same;
    flat.gives = {in.blocks * (row.count() / row.back()), in.size};
    return flat;
  }
  if (name == "Activation") {
    const Config config = layer.get_config();
    const std::string activation = config.at("activation").as_string();
    if (!is_elementwise(activation) || (call.is_output && activation == "sigmoid")) return "needs its input whole";
    return same;
  }
  if (name == "BatchNormalization") {
    const Config config = layer.get_config();
    const int64_t axis = config.get("axis", -1).as_int(), rank = call.shapes.front().rank();
    if (axis != -1 && axis != rank - 1) return "normalises over another axis than the channels";
    for (std::size_t i = 0; i < layer.weights().size(); ++i) {
      if (const auto why = why_not_divided(layer, i, 0); !why.empty()) return why;
    }
    return SplitLayer{.how = "its channels", .takes = in, .layer = layer_in_place_of(layer, config), .gives = in};
  }
  if (name == "DepthwiseConv1D" || name == "DepthwiseConv2D") return split_depthwise(call);
  if (goes_by_channel(layer)) return same;
  return "needs its input whole";
}

}  // namespace tandem::sharding
