#include "tandem/core/state_dict.h"

#include <c10/util/StringUtil.h>

#include "tandem/core/error.h"

namespace tandem {
namespace {

// In the order of StateDict::Value.
constexpr const char* kKinds[] = {"a tensor", "a whole number", "a real number", "a text"};

template <std::size_t kKind>
const auto& expect(std::string_view name, const StateDict::Value* value) {
  if (!value) throw DataError(c10::str("state: entry '", name, "' must be there, it is missing"));
  if (const auto* typed = std::get_if<kKind>(value)) return *typed;
  throw DataError(c10::str("state: entry '", name, "' must be ", kKinds[kKind], ", it is ", kKinds[value->index()]));
}

std::string joined(std::string_view prefix) { return prefix.empty() ? std::string() : std::string(prefix) + "/"; }

}  // namespace

const StateDict::Value* StateDict::find(std::string_view name) const {
  for (const auto& [key, value] : entries_) {
    if (key == name) return &value;
  }
  return nullptr;
}

void StateDict::set(std::string_view name, Value value) {
  for (auto& [key, old] : entries_) {
    if (key == name) {
      old = std::move(value);
      return;
    }
  }
  entries_.emplace_back(name, std::move(value));
}

bool StateDict::contains(std::string_view name) const { return find(name) != nullptr; }

const Tensor& StateDict::tensor(std::string_view name) const { return expect<0>(name, find(name)); }
int64_t StateDict::integer(std::string_view name) const { return expect<1>(name, find(name)); }
double StateDict::number(std::string_view name) const { return expect<2>(name, find(name)); }
const std::string& StateDict::text(std::string_view name) const { return expect<3>(name, find(name)); }

void StateDict::insert(std::string_view prefix, const StateDict& other) {
  const std::string start = joined(prefix);
  // By position and count, so that a dict can be inserted into itself.
  const std::size_t count = other.entries_.size();
  for (std::size_t i = 0; i < count; ++i) {
    auto [name, value] = other.entries_[i];
    set(start + name, std::move(value));
  }
}

StateDict StateDict::section(std::string_view prefix) const {
  const std::string start = joined(prefix);
  StateDict section;
  for (const auto& [name, value] : entries_) {
    if (name.starts_with(start)) section.entries_.emplace_back(name.substr(start.size()), value);
  }
  return section;
}

}  // namespace tandem
