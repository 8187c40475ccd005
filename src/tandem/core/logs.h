#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tandem {

/// Figures by name in the order in which they were set: what callbacks see after a batch or an epoch.
class Logs {
 public:
  using Item = std::pair<std::string, double>;

  Logs() = default;
  Logs(std::vector<Item> items) : items_(std::move(items)) {}

  void set(std::string_view name, double value);
  bool contains(std::string_view name) const { return find(name) != nullptr; }
  /// Throws InvalidArgument that names what is there when `name` is missing.
  double at(std::string_view name) const;
  double operator[](std::string_view name) const { return at(name); }
  /// The same figures by name in alphabetical order, as Keras shows them.
  Logs sorted() const;
  bool empty() const { return items_.empty(); }
  std::size_t size() const { return items_.size(); }
  auto begin() const { return items_.begin(); }
  auto end() const { return items_.end(); }

 private:
  const double* find(std::string_view name) const;
  std::vector<Item> items_;
};

}  // namespace tandem
