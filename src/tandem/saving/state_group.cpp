#include "tandem/saving/state_group.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include <type_traits>

#include "tandem/core/error.h"

namespace tandem::saving {
namespace {

constexpr const char* kText = "text";

void read_entries_of(const H5Group& group, const std::string& prefix, StateDict& state, int depth) {
  constexpr int kMaxDepth = 16;  // hard links can make a file without end
  if (depth > kMaxDepth) throw DataError(c10::str(group.where(), ": the file's groups are nested without end"));
  for (const auto& name : group.names()) {
    const std::string entry = prefix + name;
    if (group.has_group(name)) {
      const H5Group inner = group.group(name);
      if (!inner.has_attribute(kText)) {
        read_entries_of(inner, entry + "/", state, depth + 1);
        continue;
      }
      const auto texts = inner.texts(kText);
      if (texts.size() != 1) throw DataError(c10::str(inner.where(), ": must be one text, has ", texts.size()));
      state.set(entry, texts.front());
      continue;
    }
    const Tensor value = group.read(name, group.dataset_shape(name));
    if (value.dim() == 0 && value.scalar_type() == at::kLong) {
      state.set(entry, value.item<int64_t>());
    } else if (value.dim() == 0 && value.scalar_type() == at::kDouble) {
      state.set(entry, value.item<double>());
    } else {
      state.set(entry, value);
    }
  }
}

}  // namespace

void write_state(const StateDict& state, const H5Group& group) {
  for (const auto& [name, value] : state) {
    std::visit(
        [&, &name = name](const auto& held) {
          using Held = std::decay_t<decltype(held)>;
          if constexpr (std::is_same_v<Held, Tensor>) {
            group.write(name, held);
          } else if constexpr (std::is_same_v<Held, std::string>) {
            group.create_group(name).set_text(kText, held);
          } else {
            group.write(name, at::scalar_tensor(held, std::is_same_v<Held, int64_t> ? at::kLong : at::kDouble));
          }
        },
        value);
  }
}

StateDict read_state(const H5Group& group) {
  StateDict state;
  read_entries_of(group, "", state, 0);
  return state;
}

}  // namespace tandem::saving
