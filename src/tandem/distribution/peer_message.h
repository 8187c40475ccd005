#pragma once
#include <bit>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tandem/core/tensor.h"

namespace tandem::distribute {

/// What a process tells the others: numbers and texts, read in the order in which they were put.
class PeerMessage {
 public:
  PeerMessage() = default;
  /// As it came: what values() gave.
  explicit PeerMessage(std::vector<double> values) : values_(std::move(values)) {}

  void put(double value) { values_.push_back(value); }
  /// All 64 bits of a number, which a double's value would not hold.
  void put_bits(uint64_t bits) { put(std::bit_cast<double>(bits)); }
  void put(const std::string& text);
  void put(const std::vector<double>& numbers);
  /// Shape and values, as doubles.
  void put(const Tensor& tensor);
  /// All that `other` holds, to be read in its order.
  void put(const PeerMessage& other) { values_.insert(values_.end(), other.values_.begin(), other.values_.end()); }

  /// Throw InternalError where nothing of the kind is left.
  double number();
  int64_t integer() { return static_cast<int64_t>(number()); }
  uint64_t bits() { return std::bit_cast<uint64_t>(number()); }
  std::string text();
  std::vector<double> numbers();
  Tensor tensor();  // float64

  /// For carrying: bits that must stay, not always numbers.
  const std::vector<double>& values() const { return values_; }

 private:
  std::size_t take(std::size_t count);  // where the next `count` values begin

  std::vector<double> values_;
  std::size_t read_ = 0;
};

}  // namespace tandem::distribute
