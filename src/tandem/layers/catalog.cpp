// One row a layer.
#include "tandem/layers/catalog.h"

#include <c10/util/StringUtil.h>

#include <optional>

#include "tandem/core/catalog.h"
#include "tandem/core/error.h"
#include "tandem/layers/activation.h"
#include "tandem/layers/activity_regularization.h"
#include "tandem/layers/add.h"
#include "tandem/layers/additive_attention.h"
#include "tandem/layers/alpha_dropout.h"
#include "tandem/layers/attention.h"
#include "tandem/layers/average.h"
#include "tandem/layers/average_pooling1d.h"
#include "tandem/layers/average_pooling2d.h"
#include "tandem/layers/average_pooling3d.h"
#include "tandem/layers/batch_normalization.h"
#include "tandem/layers/bidirectional.h"
#include "tandem/layers/center_crop.h"
#include "tandem/layers/concatenate.h"
#include "tandem/layers/conv1d.h"
#include "tandem/layers/conv1d_transpose.h"
#include "tandem/layers/conv2d.h"
#include "tandem/layers/conv2d_transpose.h"
#include "tandem/layers/conv3d.h"
#include "tandem/layers/conv3d_transpose.h"
#include "tandem/layers/conv_lstm1d.h"
#include "tandem/layers/conv_lstm2d.h"
#include "tandem/layers/conv_lstm3d.h"
#include "tandem/layers/cropping1d.h"
#include "tandem/layers/cropping2d.h"
#include "tandem/layers/cropping3d.h"
#include "tandem/layers/dense.h"
#include "tandem/layers/depthwise_conv1d.h"
#include "tandem/layers/depthwise_conv2d.h"
#include "tandem/layers/dot.h"
#include "tandem/layers/dropout.h"
#include "tandem/layers/einsum_dense.h"
#include "tandem/layers/elu.h"
#include "tandem/layers/embedding.h"
#include "tandem/layers/flatten.h"
#include "tandem/layers/gaussian_dropout.h"
#include "tandem/layers/gaussian_noise.h"
#include "tandem/layers/global_average_pooling1d.h"
#include "tandem/layers/global_average_pooling2d.h"
#include "tandem/layers/global_average_pooling3d.h"
#include "tandem/layers/global_max_pooling1d.h"
#include "tandem/layers/global_max_pooling2d.h"
#include "tandem/layers/global_max_pooling3d.h"
#include "tandem/layers/group_normalization.h"
#include "tandem/layers/group_query_attention.h"
#include "tandem/layers/gru.h"
#include "tandem/layers/gru_cell.h"
#include "tandem/layers/identity.h"
#include "tandem/layers/lambda.h"
#include "tandem/layers/layer_normalization.h"
#include "tandem/layers/leaky_relu.h"
#include "tandem/layers/lstm.h"
#include "tandem/layers/lstm_cell.h"
#include "tandem/layers/masking.h"
#include "tandem/layers/max_pooling1d.h"
#include "tandem/layers/max_pooling2d.h"
#include "tandem/layers/max_pooling3d.h"
#include "tandem/layers/maximum.h"
#include "tandem/layers/minimum.h"
#include "tandem/layers/multi_head_attention.h"
#include "tandem/layers/multiply.h"
#include "tandem/layers/normalization.h"
#include "tandem/layers/permute.h"
#include "tandem/layers/prelu.h"
#include "tandem/layers/random_brightness.h"
#include "tandem/layers/random_contrast.h"
#include "tandem/layers/random_crop.h"
#include "tandem/layers/random_flip.h"
#include "tandem/layers/random_rotation.h"
#include "tandem/layers/random_translation.h"
#include "tandem/layers/random_zoom.h"
#include "tandem/layers/relu.h"
#include "tandem/layers/repeat_vector.h"
#include "tandem/layers/rescaling.h"
#include "tandem/layers/reshape.h"
#include "tandem/layers/resizing.h"
#include "tandem/layers/rms_normalization.h"
#include "tandem/layers/rnn.h"
#include "tandem/layers/separable_conv1d.h"
#include "tandem/layers/separable_conv2d.h"
#include "tandem/layers/serialization.h"
#include "tandem/layers/simple_rnn.h"
#include "tandem/layers/simple_rnn_cell.h"
#include "tandem/layers/softmax.h"
#include "tandem/layers/spatial_dropout1d.h"
#include "tandem/layers/spatial_dropout2d.h"
#include "tandem/layers/spatial_dropout3d.h"
#include "tandem/layers/stacked_rnn_cells.h"
#include "tandem/layers/subtract.h"
#include "tandem/layers/time_distributed.h"
#include "tandem/layers/unit_normalization.h"
#include "tandem/layers/up_sampling1d.h"
#include "tandem/layers/up_sampling2d.h"
#include "tandem/layers/up_sampling3d.h"
#include "tandem/layers/zero_padding1d.h"
#include "tandem/layers/zero_padding2d.h"
#include "tandem/layers/zero_padding3d.h"

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
                   {"ActivityRegularization", make_from_config<layers::ActivityRegularization>},
                   {"Add", make_from_config<layers::Add>},
                   {"AdditiveAttention", make_from_config<layers::AdditiveAttention>},
                   {"AlphaDropout", make_from_config<layers::AlphaDropout>},
                   {"Attention", make_from_config<layers::Attention>},
                   {"Average", make_from_config<layers::Average>},
                   {"AveragePooling1D", make_from_config<layers::AveragePooling1D>},
                   {"AveragePooling2D", make_from_config<layers::AveragePooling2D>},
                   {"AveragePooling3D", make_from_config<layers::AveragePooling3D>},
                   {"BatchNormalization", make_from_config<layers::BatchNormalization>},
                   {"Bidirectional", make_from_config<layers::Bidirectional>},
                   {"CenterCrop", make_from_config<layers::CenterCrop>},
                   {"Concatenate", make_from_config<layers::Concatenate>},
                   {"Conv1D", make_regularized<layers::Conv1D>},
                   {"Conv1DTranspose", make_regularized<layers::Conv1DTranspose>},
                   {"Conv2D", make_regularized<layers::Conv2D>},
                   {"Conv2DTranspose", make_regularized<layers::Conv2DTranspose>},
                   {"Conv3D", make_regularized<layers::Conv3D>},
                   {"Conv3DTranspose", make_regularized<layers::Conv3DTranspose>},
                   {"ConvLSTM1D", make_regularized<layers::ConvLSTM1D>},
                   {"ConvLSTM2D", make_regularized<layers::ConvLSTM2D>},
                   {"ConvLSTM3D", make_regularized<layers::ConvLSTM3D>},
                   {"Cropping1D", make_from_config<layers::Cropping1D>},
                   {"Cropping2D", make_from_config<layers::Cropping2D>},
                   {"Cropping3D", make_from_config<layers::Cropping3D>},
                   {"Dense", make_regularized<layers::Dense>},
                   {"DepthwiseConv1D", make_regularized<layers::DepthwiseConv1D>},
                   {"DepthwiseConv2D", make_regularized<layers::DepthwiseConv2D>},
                   {"Dot", make_from_config<layers::Dot>},
                   {"Dropout", make_from_config<layers::Dropout>},
                   {"EinsumDense", make_regularized<layers::EinsumDense>},
                   {"ELU", make_from_config<layers::ELU>},
                   {"Embedding", make_from_config<layers::Embedding>},
                   {"Flatten", make_from_config<layers::Flatten>},
                   {"GaussianDropout", make_from_config<layers::GaussianDropout>},
                   {"GaussianNoise", make_from_config<layers::GaussianNoise>},
                   {"GlobalAveragePooling1D", make_from_config<layers::GlobalAveragePooling1D>},
                   {"GlobalAveragePooling2D", make_from_config<layers::GlobalAveragePooling2D>},
                   {"GlobalAveragePooling3D", make_from_config<layers::GlobalAveragePooling3D>},
                   {"GlobalMaxPooling1D", make_from_config<layers::GlobalMaxPooling1D>},
                   {"GlobalMaxPooling2D", make_from_config<layers::GlobalMaxPooling2D>},
                   {"GlobalMaxPooling3D", make_from_config<layers::GlobalMaxPooling3D>},
                   {"GroupNormalization", make_from_config<layers::GroupNormalization>},
                   {"GroupQueryAttention", make_regularized<layers::GroupQueryAttention>},
                   {"GRU", make_regularized<layers::GRU>},
                   {"GRUCell", make_from_config<layers::GRUCell>},
                   {"Identity", make_from_config<layers::Identity>},
                   {"Lambda", make_from_config<layers::Lambda>},
                   {"LayerNormalization", make_from_config<layers::LayerNormalization>},
                   {"LeakyReLU", make_from_config<layers::LeakyReLU>},
                   {"LSTM", make_regularized<layers::LSTM>},
                   {"LSTMCell", make_from_config<layers::LSTMCell>},
                   {"Masking", make_from_config<layers::Masking>},
                   {"Maximum", make_from_config<layers::Maximum>},
                   {"MaxPooling1D", make_from_config<layers::MaxPooling1D>},
                   {"MaxPooling2D", make_from_config<layers::MaxPooling2D>},
                   {"MaxPooling3D", make_from_config<layers::MaxPooling3D>},
                   {"Minimum", make_from_config<layers::Minimum>},
                   {"MultiHeadAttention", make_regularized<layers::MultiHeadAttention>},
                   {"Multiply", make_from_config<layers::Multiply>},
                   {"Normalization", make_from_config<layers::Normalization>},
                   {"Permute", make_from_config<layers::Permute>},
                   {"PReLU", make_from_config<layers::PReLU>},
                   {"RandomBrightness", make_from_config<layers::RandomBrightness>},
                   {"RandomContrast", make_from_config<layers::RandomContrast>},
                   {"RandomCrop", make_from_config<layers::RandomCrop>},
                   {"RandomFlip", make_from_config<layers::RandomFlip>},
                   {"RandomRotation", make_from_config<layers::RandomRotation>},
                   {"RandomTranslation", make_from_config<layers::RandomTranslation>},
                   {"RandomZoom", make_from_config<layers::RandomZoom>},
                   {"ReLU", make_from_config<layers::ReLU>},
                   {"RepeatVector", make_from_config<layers::RepeatVector>},
                   {"Rescaling", make_from_config<layers::Rescaling>},
                   {"Reshape", make_from_config<layers::Reshape>},
                   {"Resizing", make_from_config<layers::Resizing>},
                   {"RMSNormalization", make_from_config<layers::RMSNormalization>},
                   {"RNN", make_regularized<layers::RNN>},
                   {"SeparableConv1D", make_regularized<layers::SeparableConv1D>},
                   {"SeparableConv2D", make_regularized<layers::SeparableConv2D>},
                   {"SimpleRNN", make_regularized<layers::SimpleRNN>},
                   {"SimpleRNNCell", make_from_config<layers::SimpleRNNCell>},
                   {"Softmax", make_from_config<layers::Softmax>},
                   {"SpatialDropout1D", make_from_config<layers::SpatialDropout1D>},
                   {"SpatialDropout2D", make_from_config<layers::SpatialDropout2D>},
                   {"SpatialDropout3D", make_from_config<layers::SpatialDropout3D>},
                   {"StackedRNNCells", make_from_config<layers::StackedRNNCells>},
                   {"Subtract", make_from_config<layers::Subtract>},
                   {"TimeDistributed", make_from_config<layers::TimeDistributed>},
                   {"UnitNormalization", make_from_config<layers::UnitNormalization>},
                   {"UpSampling1D", make_from_config<layers::UpSampling1D>},
                   {"UpSampling2D", make_from_config<layers::UpSampling2D>},
                   {"UpSampling3D", make_from_config<layers::UpSampling3D>},
                   {"ZeroPadding1D", make_from_config<layers::ZeroPadding1D>},
                   {"ZeroPadding2D", make_from_config<layers::ZeroPadding2D>},
                   {"ZeroPadding3D", make_from_config<layers::ZeroPadding3D>},
               });
  return table;
}

// The layer's policy as Keras writes it: a DTypePolicy, in older files its name. An Input's is the type of its tensor.
std::optional<DTypePolicy> policy_from(const Config& config, const std::string& class_name) {
  const Config dtype = config.get("dtype", {});
  if (dtype.is_null() || class_name == "InputLayer") return {};
  const bool policy = dtype.is_object() && dtype.at("class_name").as_string() == "DTypePolicy";
  const Config name = policy ? dtype.at("config").at("name") : dtype;
  if (!name.is_string()) throw DataError(c10::str(class_name, ": dtype must be a policy's name, is ", name.shown()));
  try {
    return DTypePolicy(name.as_string());
  } catch (const InvalidArgument& error) {
    throw InvalidArgument(c10::str(class_name, ": dtype: ", error.what()));
  }
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
  const auto policy = policy_from(config, class_name);
  LayerHandle layer = make(config);
  // float32 is what compile's precision may change.
  if (policy && policy->mixed()) layer->set_dtype_policy(*policy);
  if (const Config name = config.get("name", {}); !name.is_null()) layer->set_name(name.as_string());
  layer->set_trainable(config.get("trainable", true).as_bool());
  return layer;
}

std::vector<std::string> layer_class_names() { return layer_catalog().names(); }

}  // namespace tandem
