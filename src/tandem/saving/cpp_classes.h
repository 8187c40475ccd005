#pragma once
#include <string>
#include <string_view>

namespace tandem::saving {

/// How a class of Tandem's API is written in C++: which settings of its config its constructor takes one by one, and
/// which are fields of its options, in their order. Words are separated by spaces; "kernel_size:Size2D" is a setting
/// that is written as Size2D{...} where it is a list.
struct CppClass {
  std::string_view name;
  std::string_view arguments;
  std::string_view options;
};

/// The row of a layer, or of an initializer, regularizer or constraint; null for a class that has none.
const CppClass* cpp_layer_class(std::string_view name);
const CppClass* cpp_setting_class(std::string_view name);

}  // namespace tandem::saving
