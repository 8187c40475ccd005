#include "tandem/saving/cpp_classes.h"

#include <algorithm>
#include <array>

namespace tandem::saving {
namespace {

constexpr std::string_view kDense =
    "activation use_bias kernel_initializer bias_initializer kernel_regularizer bias_regularizer activity_regularizer "
    "kernel_constraint bias_constraint";
constexpr std::string_view kConvolution =
    "strides padding dilation_rate groups activation use_bias kernel_initializer bias_initializer kernel_regularizer "
    "bias_regularizer activity_regularizer kernel_constraint bias_constraint";
constexpr std::string_view kTransposed =
    "strides padding output_padding dilation_rate activation use_bias kernel_initializer bias_initializer "
    "kernel_regularizer bias_regularizer activity_regularizer kernel_constraint bias_constraint";
constexpr std::string_view kDepthwise =
    "strides padding depth_multiplier dilation_rate activation use_bias depthwise_initializer bias_initializer "
    "depthwise_regularizer bias_regularizer activity_regularizer depthwise_constraint bias_constraint";
constexpr std::string_view kSeparable =
    "strides padding dilation_rate depth_multiplier activation use_bias depthwise_initializer pointwise_initializer "
    "bias_initializer depthwise_regularizer pointwise_regularizer bias_regularizer activity_regularizer "
    "depthwise_constraint pointwise_constraint bias_constraint";
constexpr std::string_view kEinsum =
    "activation bias_axes kernel_initializer bias_initializer kernel_regularizer bias_regularizer activity_regularizer "
    "kernel_constraint bias_constraint";
constexpr std::string_view kBatchNorm =
    "axis momentum epsilon center scale beta_initializer gamma_initializer moving_mean_initializer "
    "moving_variance_initializer beta_regularizer gamma_regularizer beta_constraint gamma_constraint synchronized";
constexpr std::string_view kLayerNorm =
    "axis epsilon center scale beta_initializer gamma_initializer beta_regularizer gamma_regularizer beta_constraint "
    "gamma_constraint";
constexpr std::string_view kGroupNorm =
    "groups axis epsilon center scale beta_initializer gamma_initializer beta_regularizer gamma_regularizer "
    "beta_constraint gamma_constraint";
constexpr std::string_view kFilled = "fill_mode interpolation seed fill_value";
constexpr std::string_view kResizing =
    "interpolation crop_to_aspect_ratio pad_to_aspect_ratio fill_mode fill_value antialias";
constexpr std::string_view kFan = "seed input_axes:std::vector<int64_t> output_axes:std::vector<int64_t>";

constexpr auto kLayers = std::to_array<CppClass>({
    {"Activation", "activation", ""},
    {"ActivityRegularization", "", "l1 l2"},
    {"Add", "", ""},
    {"AlphaDropout", "rate", "noise_shape seed"},
    {"Average", "", ""},
    {"AveragePooling1D", "pool_size:Size1D", "strides padding"},
    {"AveragePooling2D", "pool_size:Size2D", "strides padding"},
    {"AveragePooling3D", "pool_size:Size3D", "strides padding"},
    {"BatchNormalization", "", kBatchNorm},
    {"CenterCrop", "height width", ""},
    {"Concatenate", "", "axis"},
    {"Conv1D", "filters kernel_size:Size1D", kConvolution},
    {"Conv1DTranspose", "filters kernel_size:Size1D", kTransposed},
    {"Conv2D", "filters kernel_size:Size2D", kConvolution},
    {"Conv2DTranspose", "filters kernel_size:Size2D", kTransposed},
    {"Conv3D", "filters kernel_size:Size3D", kConvolution},
    {"Conv3DTranspose", "filters kernel_size:Size3D", kTransposed},
    {"Cropping1D", "cropping:Sides1D", ""},
    {"Cropping2D", "cropping:Sides2D", ""},
    {"Cropping3D", "cropping:Sides3D", ""},
    {"Dense", "units", kDense},
    {"DepthwiseConv1D", "kernel_size:Size1D", kDepthwise},
    {"DepthwiseConv2D", "kernel_size:Size2D", kDepthwise},
    {"Dot", "axes:Axes", "normalize"},
    {"Dropout", "rate", "noise_shape seed"},
    {"EinsumDense", "equation output_shape:Shape", kEinsum},
    {"ELU", "", "alpha"},
    {"Embedding", "input_dim output_dim",
     "embeddings_initializer embeddings_regularizer embeddings_constraint mask_zero"},
    {"Flatten", "", ""},
    {"GaussianDropout", "rate", "seed"},
    {"GaussianNoise", "stddev", "seed"},
    {"GlobalAveragePooling1D", "", "keepdims"},
    {"GlobalAveragePooling2D", "", "keepdims"},
    {"GlobalAveragePooling3D", "", "keepdims"},
    {"GlobalMaxPooling1D", "", "keepdims"},
    {"GlobalMaxPooling2D", "", "keepdims"},
    {"GlobalMaxPooling3D", "", "keepdims"},
    {"GroupNormalization", "", kGroupNorm},
    {"Identity", "", ""},
    {"LayerNormalization", "", kLayerNorm},
    {"LeakyReLU", "", "negative_slope"},
    {"Maximum", "", ""},
    {"MaxPooling1D", "pool_size:Size1D", "strides padding"},
    {"MaxPooling2D", "pool_size:Size2D", "strides padding"},
    {"MaxPooling3D", "pool_size:Size3D", "strides padding"},
    {"Minimum", "", ""},
    {"Multiply", "", ""},
    {"Permute", "dims:std::vector<int64_t>", ""},
    {"PReLU", "", "alpha_initializer alpha_regularizer alpha_constraint shared_axes"},
    {"RandomBrightness", "factor:RandomRange", "value_range seed"},
    {"RandomContrast", "factor:RandomRange", "value_range seed"},
    {"RandomCrop", "height width", "seed"},
    {"RandomFlip", "", "mode seed"},
    {"RandomRotation", "factor:RandomRange", kFilled},
    {"RandomTranslation", "height_factor:RandomRange width_factor:RandomRange", kFilled},
    {"RandomZoom", "height_factor:RandomRange", "width_factor fill_mode interpolation seed fill_value"},
    {"ReLU", "", "max_value negative_slope threshold"},
    {"RepeatVector", "n", ""},
    {"Rescaling", "scale:PerChannel", "offset"},
    {"Reshape", "target_shape:Shape", ""},
    {"Resizing", "height width", kResizing},
    {"RMSNormalization", "", "axis epsilon"},
    {"SeparableConv1D", "filters kernel_size:Size1D", kSeparable},
    {"SeparableConv2D", "filters kernel_size:Size2D", kSeparable},
    {"Softmax", "", "axis"},
    {"SpatialDropout1D", "rate", "seed"},
    {"SpatialDropout2D", "rate", "seed"},
    {"SpatialDropout3D", "rate", "seed"},
    {"Subtract", "", ""},
    {"UnitNormalization", "", "axis"},
    {"UpSampling1D", "size", ""},
    {"UpSampling2D", "size:Size2D", "interpolation"},
    {"UpSampling3D", "size:Size3D", ""},
    {"ZeroPadding1D", "padding:Sides1D", ""},
    {"ZeroPadding2D", "padding:Sides2D", ""},
    {"ZeroPadding3D", "padding:Sides3D", ""},
});

constexpr auto kSettings = std::to_array<CppClass>({
    {"Constant", "value", ""},
    {"GlorotNormal", "", kFan},
    {"GlorotUniform", "", kFan},
    {"HeNormal", "", kFan},
    {"HeUniform", "", kFan},
    {"Identity", "gain", ""},
    {"L1", "l1", ""},
    {"L1L2", "", "l1 l2"},
    {"L2", "l2", ""},
    {"LecunNormal", "", kFan},
    {"LecunUniform", "", kFan},
    {"MaxNorm", "", "max_value axis"},
    {"MinMaxNorm", "", "min_value max_value rate axis"},
    {"NonNeg", "", ""},
    {"Ones", "", ""},
    {"Orthogonal", "", "gain seed"},
    {"OrthogonalRegularizer", "", "factor mode"},
    {"RandomNormal", "", "mean stddev seed"},
    {"RandomUniform", "", "minval maxval seed"},
    {"TruncatedNormal", "", "mean stddev seed"},
    {"UnitNorm", "", "axis"},
    {"VarianceScaling", "",
     "scale mode distribution seed input_axes:std::vector<int64_t> output_axes:std::vector<int64_t>"},
    {"Zeros", "", ""},
});

template <std::size_t N>
const CppClass* find(const std::array<CppClass, N>& rows, std::string_view name) {
  const auto* row = std::find_if(rows.begin(), rows.end(), [&](const CppClass& c) { return c.name == name; });
  return row == rows.end() ? nullptr : row;
}

}  // namespace

const CppClass* cpp_layer_class(std::string_view name) { return find(kLayers, name); }
const CppClass* cpp_setting_class(std::string_view name) { return find(kSettings, name); }

}  // namespace tandem::saving
