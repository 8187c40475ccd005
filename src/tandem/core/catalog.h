#pragma once
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tandem/core/error.h"

namespace tandem {

/// A plain table from names to what makes the named thing. Each folder's catalog.cpp holds one; adding a layer, loss,
/// metric, optimizer ... is one row there. Several names may stand for one thing ("mse", "mean_squared_error").
template <class Maker>
class Catalog {
 public:
  struct Row {
    std::string name;
    Maker make;
  };

  Catalog(std::string kind, std::initializer_list<Row> rows) : kind_(std::move(kind)), rows_(rows) {}

  /// What the rows are: "layer".
  const std::string& kind() const { return kind_; }
  bool contains(std::string_view name) const { return find(name) != nullptr; }
  /// The maker of `name`. Throws InvalidArgument that proposes the nearest known names.
  const Maker& at(std::string_view name) const {
    if (const Maker* maker = find(name)) return *maker;
    throw_unknown_name(kind_, name, names());
  }
  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const auto& row : rows_) names.push_back(row.name);
    return names;
  }

 private:
  const Maker* find(std::string_view name) const {
    for (const auto& row : rows_) {
      if (row.name == name) return &row.make;
    }
    return nullptr;
  }

  std::string kind_;
  std::vector<Row> rows_;
};

}  // namespace tandem
