#include "tandem/precision/dtype_policy.h"

#include <algorithm>
#include <array>

#include "tandem/core/catalog.h"

namespace tandem {
namespace {

struct Known {
  std::string name;
  c10::ScalarType type;
};

const std::array<Known, 3>& known_policies() {
  static const std::array<Known, 3> table{{{"float32", c10::ScalarType::Float},
                                           {"mixed_bfloat16", c10::ScalarType::BFloat16},
                                           {"mixed_float16", c10::ScalarType::Half}}};
  return table;
}

thread_local std::optional<DTypePolicy> in_force;

}  // namespace

DTypePolicy::DTypePolicy(const std::string& name) {
  const auto& known = known_policies();
  const auto found = std::find_if(known.begin(), known.end(), [&](const Known& k) { return k.name == name; });
  if (found == known.end()) throw_unknown_name("precision", name, {known[0].name, known[1].name, known[2].name});
  type_ = found->type;
}

const std::string& DTypePolicy::name() const {
  const auto& known = known_policies();
  return std::find_if(known.begin(), known.end(), [&](const Known& k) { return k.type == type_; })->name;
}

void set_dtype_policy(const std::optional<DTypePolicy>& policy) { in_force = policy; }
const std::optional<DTypePolicy>& dtype_policy() { return in_force; }

}  // namespace tandem
