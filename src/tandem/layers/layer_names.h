#pragma once
#include <string>

namespace tandem {

/// "conv2d" for the first of a class, "conv2d_1" for the next, as Keras names layers. clear_session starts anew.
std::string unique_layer_name(const std::string& class_name);
/// Forgets the counters behind automatic names, as keras.utils.clear_session.
void clear_session();
/// "Conv2D" to "conv2d", "BatchNormalization" to "batch_normalization", as Keras does.
std::string snake_case(const std::string& class_name);

}  // namespace tandem
