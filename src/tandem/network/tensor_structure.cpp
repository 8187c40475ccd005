#include "tandem/network/tensor_structure.h"

#include <algorithm>
#include <functional>

#include "tandem/core/error.h"

namespace tandem {
namespace {

constexpr int kDeepestStructure = 100;

bool is_reference(const Config& value) {
  return value.is_list() && value.as_list().size() == 3 && value.as_list().front().is_string();
}

std::vector<std::string> sorted_keys(const Config& object) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : object.as_object()) keys.push_back(key);
  std::sort(keys.begin(), keys.end());
  return keys;
}

using OnLeaf = std::function<Config(const Config&)>;

Config mapped(const Config& structure, const OnLeaf& on_leaf, int depth) {
  if (depth == kDeepestStructure) throw DataError("config: inputs and outputs must not nest that deep");
  if (is_reference(structure)) return on_leaf(structure);
  if (structure.is_list()) {
    Config::List list;
    for (const auto& item : structure.as_list()) list.push_back(mapped(item, on_leaf, depth + 1));
    return list;
  }
  if (!structure.is_object()) {
    throw DataError("config: inputs and outputs must be references [layer, call, output] in lists or objects, got " +
                    structure.shown());
  }
  Config object = structure;  // the keys keep their order in the file
  for (const auto& key : sorted_keys(structure)) object.set(key, mapped(structure.at(key), on_leaf, depth + 1));
  return object;
}

}  // namespace

std::vector<Config> structure_leaves(const Config& structure) {
  std::vector<Config> leaves;
  mapped(
      structure,
      [&](const Config& leaf) {
        leaves.push_back(leaf);
        return leaf;
      },
      0);
  return leaves;
}

Config structure_with_leaves(const Config& structure, const std::vector<Config>& leaves) {
  std::size_t next = 0;
  return mapped(
      structure, [&](const Config&) { return leaves.at(next++); }, 0);
}

std::vector<std::string> structure_names(const Config& structure) {
  if (!structure.is_object()) return {};
  for (const auto& [key, value] : structure.as_object()) {
    if (!is_reference(value)) return {};
  }
  return sorted_keys(structure);
}

}  // namespace tandem
