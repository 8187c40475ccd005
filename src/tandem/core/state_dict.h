#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "tandem/core/tensor.h"

namespace tandem {

/// Names to tensors, numbers and strings, in the order in which they were set: the state of an optimizer, a loop, a
/// model.
class StateDict {
 public:
  using Value = std::variant<Tensor, int64_t, double, std::string>;

  /// Sets or replaces `name`.
  void set(std::string_view name, Value value);
  bool contains(std::string_view name) const;
  std::size_t size() const { return entries_.size(); }

  /// Each throws DataError naming the entry when it is missing or of another kind.
  const Tensor& tensor(std::string_view name) const;
  int64_t integer(std::string_view name) const;
  double number(std::string_view name) const;
  const std::string& text(std::string_view name) const;

  /// Adds every entry of `other` under "prefix/name"; `section` takes them out again without the prefix.
  void insert(std::string_view prefix, const StateDict& other);
  StateDict section(std::string_view prefix) const;

  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }

 private:
  const Value* find(std::string_view name) const;
  std::vector<std::pair<std::string, Value>> entries_;
};

}  // namespace tandem
