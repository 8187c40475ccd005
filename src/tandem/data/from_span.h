#pragma once
#include <c10/core/ScalarType.h>

#include <concepts>
#include <memory>
#include <ranges>
#include <type_traits>
#include <utility>
#include <vector>

#include "tandem/core/shape.h"
#include "tandem/core/tensor.h"

namespace tandem::data {

/// A number that tensors can hold as it is.
template <class T>
concept TensorValue = std::same_as<T, float> || std::same_as<T, double> || std::same_as<T, int8_t> ||
    std::same_as<T, uint8_t> || std::same_as<T, int16_t> || std::same_as<T, int32_t> || std::same_as<T, int64_t>;

/// What from_span and from_vector call. `owner` lives as long as the tensor.
Tensor tensor_over(const void* values, int64_t count, at::ScalarType type, const Shape& row,
                   std::shared_ptr<const void> owner);

/// Values that lie elsewhere as a tensor (rows, row...), without a copy: `TensorDataset(from_span(pixels, {28, 28, 1}),
/// from_span(labels))` for a std::vector<float> pixels and a std::vector<int64_t> labels. The values must stay where
/// they are, unchanged, while a tensor or data set made of them lives; nothing is ever written to them. Takes a
/// std::span or a named std::vector or std::array; a temporary one does not compile (from_vector takes it). Without
/// `row` each value is a row. Throws InvalidArgument unless the values fill whole rows.
template <std::ranges::contiguous_range Range>
requires std::ranges::borrowed_range<Range> && std::ranges::sized_range<Range> &&
    TensorValue<std::ranges::range_value_t<Range>>
        Tensor from_span(Range&& values, const Shape& row = {}) {
  using T = std::ranges::range_value_t<Range>;
  return tensor_over(std::ranges::data(values), static_cast<int64_t>(std::ranges::size(values)),
                     c10::CppTypeToScalarType<T>::value, row, nullptr);
}

/// The same for values that the tensor shall own: `from_vector(std::move(pixels), {28, 28, 1})`. No copy is made.
template <TensorValue T>
Tensor from_vector(std::vector<T>&& values, const Shape& row = {}) {
  auto owner = std::make_shared<const std::vector<T>>(std::move(values));
  return tensor_over(owner->data(), static_cast<int64_t>(owner->size()), c10::CppTypeToScalarType<T>::value, row,
                     owner);
}

}  // namespace tandem::data
