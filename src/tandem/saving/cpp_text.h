#pragma once
#include <string>
#include <string_view>

#include "tandem/core/config.h"
#include "tandem/layers/layer.h"

namespace tandem::saving {

/// A text as a literal of C++.
std::string cpp_literal(const std::string& text);
/// A value of a config in C++: numbers, texts and truth values as literals, lists in braces with `type` in front, null
/// in a list as -1 (a size that is not known), an initializer, regularizer or constraint as its construction. Throws
/// InvalidArgument on an object of another kind.
std::string cpp_value(const Config& value, std::string_view type = {});
/// A config as an expression.
std::string cpp_config(const Config& config);
/// The construction of a layer: `Dense(4, {.activation = "relu", .name = "first"})`, without settings that have their
/// defaults. A layer of Tandem's whose settings have no such form is made from its config. Throws InvalidArgument
/// naming the layer when it is none of Tandem's or has no config.
std::string cpp_layer(const Layer& layer);

}  // namespace tandem::saving
