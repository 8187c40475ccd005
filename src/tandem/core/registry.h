#pragma once
#include <c10/util/StringUtil.h>

#include <algorithm>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tandem/core/catalog.h"
#include "tandem/core/error.h"

namespace tandem {

/// A catalog together with what a program adds to it while it runs: layers, losses, ... of its own. It is Tandem's form
/// of keras.saving.register_keras_serializable: an added thing belongs to a package ("Custom" where its name gives
/// none), files know it as "Package>Name" (Keras's registered_name), and it is found by that name, or by "Name" alone
/// where neither the catalog nor a second package has it. Thread-safe.
template <class Maker>
class Registry {
 public:
  explicit Registry(const Catalog<Maker>& table) : table_(table) {}

  /// `name` is "Name" or "Package>Name". Throws InvalidArgument when it is neither, or was added before.
  void add(const std::string& name, Maker make) {
    const auto mark = name.find('>');
    const bool whole = mark != 0 && mark + 1 != name.size() && name.find('>', mark + 1) == std::string::npos;
    if (name.empty() || (mark != std::string::npos && !whole)) {
      throw InvalidArgument(
          c10::str("register: ", table_.kind(), " must be named 'Name' or 'Package>Name', got '", name, "'"));
    }
    const std::string full = mark == std::string::npos ? "Custom>" + name : name;
    const std::lock_guard lock(mutex_);
    if (find_row(full)) throw InvalidArgument(c10::str("register: ", table_.kind(), " '", full, "' was added before"));
    added_.push_back({full, std::move(make)});
  }

  /// "Package>Name" of what was added under `name`, with or without its package; empty when nothing was, or when
  /// several packages have a `name`.
  std::string full_name(std::string_view name) const {
    const std::lock_guard lock(mutex_);
    const auto* row = find_row(name);
    return row ? row->name : std::string();
  }
  /// The maker of what was added under `name`, as full_name finds it.
  std::optional<Maker> added(std::string_view name) const {
    const std::lock_guard lock(mutex_);
    const auto* row = find_row(name);
    return row ? std::optional<Maker>(row->make) : std::nullopt;
  }
  /// The maker of `name`: the catalog's, else what was added. Throws InvalidArgument that proposes the nearest names.
  Maker at(std::string_view name) const {
    if (table_.contains(name)) return table_.at(name);
    if (auto make = added(name)) return *make;
    auto known = names();
    if (name.find('>') == std::string_view::npos) {  // then by their short names too
      for (auto& full : known) full = full.substr(full.find('>') + 1);
    }
    throw_unknown_name(table_.kind(), name, known);
  }
  /// The catalog's names, then those that were added.
  std::vector<std::string> names() const {
    auto names = table_.names();
    const std::lock_guard lock(mutex_);
    for (const auto& row : added_) names.push_back(row.name);
    return names;
  }

 private:
  using Row = typename Catalog<Maker>::Row;

  const Row* find_row(std::string_view name) const {
    const bool whole = name.find('>') != std::string_view::npos;
    const auto fits = [&](const Row& row) {
      return whole ? row.name == name : std::string_view(row.name).substr(row.name.find('>') + 1) == name;
    };
    const auto first = std::find_if(added_.begin(), added_.end(), fits);
    if (first == added_.end() || std::find_if(first + 1, added_.end(), fits) != added_.end()) return nullptr;
    return &*first;
  }

  const Catalog<Maker>& table_;
  mutable std::mutex mutex_;
  std::vector<Row> added_;
};

}  // namespace tandem
