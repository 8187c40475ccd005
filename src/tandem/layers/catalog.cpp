// One row a layer.
#include "tandem/layers/catalog.h"

#include <c10/util/StringUtil.h>

#include "tandem/core/catalog.h"
#include "tandem/core/error.h"
#include "tandem/layers/activation.h"
#include "tandem/layers/add.h"
#include "tandem/layers/average.h"
#include "tandem/layers/average_pooling2d.h"
#include "tandem/layers/batch_normalization.h"
#include "tandem/layers/concatenate.h"
#include "tandem/layers/conv2d.h"
#include "tandem/layers/conv2d_transpose.h"
#include "tandem/layers/cropping2d.h"
#include "tandem/layers/dense.h"
#include "tandem/layers/depthwise_conv2d.h"
#include "tandem/layers/dropout.h"
#include "tandem/layers/embedding.h"
#include "tandem/layers/flatten.h"
#include "tandem/layers/global_average_pooling2d.h"
#include "tandem/layers/global_max_pooling2d.h"
#include "tandem/layers/identity.h"
#include "tandem/layers/layer_normalization.h"
#include "tandem/layers/leaky_relu.h"
#include "tandem/layers/max_pooling2d.h"
#include "tandem/layers/maximum.h"
#include "tandem/layers/minimum.h"
#include "tandem/layers/multiply.h"
#include "tandem/layers/permute.h"
#include "tandem/layers/relu.h"
#include "tandem/layers/rescaling.h"
#include "tandem/layers/reshape.h"
#include "tandem/layers/resizing.h"
#include "tandem/layers/separable_conv2d.h"
#include "tandem/layers/serialization.h"
#include "tandem/layers/softmax.h"
#include "tandem/layers/subtract.h"
#include "tandem/layers/up_sampling2d.h"
#include "tandem/layers/zero_padding2d.h"

namespace tandem {
namespace {

template <class Handle>
LayerHandle make_from_config(const Config& config) {
  LayerHandle layer = Handle::from_config(config);
  // Keras takes one for every layer; a penalty must not be dropped.
  refuse_settings(config, layer->class_name(), {"activity_regularizer"});
  return layer;
}

/// A layer that reads its activity_regularizer.
template <class Handle>
LayerHandle make_regularized(const Config& config) {
  return Handle::from_config(config);
}

const Catalog<LayerFromConfig>& layer_catalog() {
  static const Catalog<LayerFromConfig> table(
      "layer", {
                   {"Activation", make_from_config<layers::Activation>},
                   {"Add", make_from_config<layers::Add>},
                   {"Average", make_from_config<layers::Average>},
                   {"AveragePooling2D", make_from_config<layers::AveragePooling2D>},
                   {"BatchNormalization", make_from_config<layers::BatchNormalization>},
                   {"Concatenate", make_from_config<layers::Concatenate>},
                   {"Conv2D", make_regularized<layers::Conv2D>},
                   {"Conv2DTranspose", make_regularized<layers::Conv2DTranspose>},
                   {"Cropping2D", make_from_config<layers::Cropping2D>},
                   {"Dense", make_regularized<layers::Dense>},
                   {"DepthwiseConv2D", make_regularized<layers::DepthwiseConv2D>},
                   {"Dropout", make_from_config<layers::Dropout>},
                   {"Embedding", make_from_config<layers::Embedding>},
                   {"Flatten", make_from_config<layers::Flatten>},
                   {"GlobalAveragePooling2D", make_from_config<layers::GlobalAveragePooling2D>},
                   {"GlobalMaxPooling2D", make_from_config<layers::GlobalMaxPooling2D>},
                   {"Identity", make_from_config<layers::Identity>},
                   {"LayerNormalization", make_from_config<layers::LayerNormalization>},
                   {"LeakyReLU", make_from_config<layers::LeakyReLU>},
                   {"Maximum", make_from_config<layers::Maximum>},
                   {"MaxPooling2D", make_from_config<layers::MaxPooling2D>},
                   {"Minimum", make_from_config<layers::Minimum>},
                   {"Multiply", make_from_config<layers::Multiply>},
                   {"Permute", make_from_config<layers::Permute>},
                   {"ReLU", make_from_config<layers::ReLU>},
                   {"Rescaling", make_from_config<layers::Rescaling>},
                   {"Reshape", make_from_config<layers::Reshape>},
                   {"Resizing", make_from_config<layers::Resizing>},
                   {"SeparableConv2D", make_regularized<layers::SeparableConv2D>},
                   {"Softmax", make_from_config<layers::Softmax>},
                   {"Subtract", make_from_config<layers::Subtract>},
                   {"UpSampling2D", make_from_config<layers::UpSampling2D>},
                   {"ZeroPadding2D", make_from_config<layers::ZeroPadding2D>},
               });
  return table;
}

// Layers compute in float32; a setting that asks for another type must not be dropped.
void check_dtype(const Config& config, const std::string& class_name) {
  const Config dtype = config.get("dtype", {});
  if (dtype.is_null()) return;
  const bool policy = dtype.is_object() && dtype.at("class_name").as_string() == "DTypePolicy";
  const Config name = policy ? dtype.at("config").at("name") : dtype;
  if (name.is_string() && name.as_string() == "float32") return;
  throw InvalidArgument(
      c10::str(class_name, ": dtype must be float32, got ", name.is_string() ? name.as_string() : name.shown()));
}

}  // namespace

Registry<LayerFromConfig>& layer_registry() {
  static Registry<LayerFromConfig> registry(layer_catalog());
  return registry;
}

LayerHandle layer_from_config(const std::string& class_name, const Config& config, LayerOrigin origin) {
  const auto& registry = layer_registry();
  const auto added = registry.added(class_name);
  if (origin == LayerOrigin::kProgram && !added) {
    throw InvalidArgument(c10::str(
        "layer '", class_name, "' is a class of a program's own; register_layer must name it before files are read"));
  }
  const LayerFromConfig make = origin == LayerOrigin::kProgram ? *added : registry.at(class_name);
  check_dtype(config, class_name);
  LayerHandle layer = make(config);
  if (const Config name = config.get("name", {}); !name.is_null()) layer->set_name(name.as_string());
  layer->set_trainable(config.get("trainable", true).as_bool());
  return layer;
}

std::vector<std::string> layer_class_names() { return layer_catalog().names(); }

}  // namespace tandem
