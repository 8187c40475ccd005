#include "tandem/core/logs.h"

#include <algorithm>

#include "tandem/core/error.h"

namespace tandem {

const double* Logs::find(std::string_view name) const {
  for (const auto& item : items_) {
    if (item.first == name) return &item.second;
  }
  return nullptr;
}

void Logs::set(std::string_view name, double value) {
  for (auto& item : items_) {
    if (item.first == name) {
      item.second = value;
      return;
    }
  }
  items_.emplace_back(std::string(name), value);
}

Logs Logs::sorted() const {
  auto items = items_;
  std::sort(items.begin(), items.end(), [](const Item& a, const Item& b) { return a.first < b.first; });
  return Logs(std::move(items));
}

double Logs::at(std::string_view name) const {
  if (const double* value = find(name)) return *value;
  std::vector<std::string> known;
  for (const auto& item : items_) known.push_back(item.first);
  throw_unknown_name("log entry", name, known);
}

}  // namespace tandem
