#include "tandem/layers/keras_calls.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace tandem {
namespace {

constexpr std::array<std::string_view, 30> kBuiltWhenMade{
    "Activation",
    "ActivityRegularization",
    "AlphaDropout",
    "AveragePooling1D",
    "AveragePooling2D",
    "AveragePooling3D",
    "Dropout",
    "ELU",
    "GaussianDropout",
    "GaussianNoise",
    "GlobalAveragePooling1D",
    "GlobalAveragePooling2D",
    "GlobalAveragePooling3D",
    "GlobalMaxPooling1D",
    "GlobalMaxPooling2D",
    "GlobalMaxPooling3D",
    "Identity",
    "InputLayer",
    "LeakyReLU",
    "Masking",
    "MaxPooling1D",
    "MaxPooling2D",
    "MaxPooling3D",
    "ReLU",
    "Reshape",
    "Softmax",
    "SpatialDropout1D",
    "SpatialDropout2D",
    "SpatialDropout3D",
    "UnitNormalization",
};

// Classes whose call has `training=False`, or `training=True`, in its signature, not None.
constexpr std::array<std::string_view, 14> kTrainingFalse{
    "AlphaDropout",     "ConvLSTM1D",       "ConvLSTM2D", "ConvLSTM3D", "Dropout",   "GRU",
    "GaussianDropout",  "GaussianNoise",    "LSTM",       "RNN",        "SimpleRNN", "SpatialDropout1D",
    "SpatialDropout2D", "SpatialDropout3D",
};
constexpr std::array<std::string_view, 9> kTrainingTrue{
    "CenterCrop",     "RandomBrightness",  "RandomContrast", "RandomCrop", "RandomFlip",
    "RandomRotation", "RandomTranslation", "RandomZoom",     "Resizing",
};

constexpr std::array<std::string_view, 14> kMask{
    "BatchNormalization",
    "Bidirectional",
    "ConvLSTM1D",
    "ConvLSTM2D",
    "ConvLSTM3D",
    "Functional",
    "GRU",
    "GlobalAveragePooling1D",
    "LSTM",
    "RNN",
    "Sequential",
    "SimpleRNN",
    "Softmax",
    "TimeDistributed",
};

constexpr std::array<std::string_view, 8> kInitialState{
    "Bidirectional", "ConvLSTM1D", "ConvLSTM2D", "ConvLSTM3D", "GRU", "LSTM", "RNN", "SimpleRNN",
};

template <std::size_t N>
bool has(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

bool keras_writes_build_config(const std::string& class_name) { return !has(kBuiltWhenMade, class_name); }

Config keras_call_arguments(const std::string& class_name, std::size_t inputs) {
  if (inputs > 1 && has(kInitialState, class_name)) return Config::object();  // those alone that were given
  Config arguments = Config::object();
  if (has(kTrainingFalse, class_name)) arguments.set("training", false);
  if (has(kTrainingTrue, class_name)) arguments.set("training", true);
  if (has(kMask, class_name)) arguments.set("mask", inputs == 1 ? Config() : Config(Config::List(inputs)));
  return arguments;
}

std::string keras_later_inputs(const std::string& class_name) {
  return has(kInitialState, class_name) ? "initial_state" : "";
}

}  // namespace tandem
