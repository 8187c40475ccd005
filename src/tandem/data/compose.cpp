#include "tandem/data/compose.h"

#include <c10/util/StringUtil.h>

#include <memory>
#include <utility>

#include "tandem/core/error.h"
#include "tandem/data/chain.h"

namespace tandem::data {

Compose::Compose(std::initializer_list<TransformHandle> parts) : Compose(std::vector<TransformHandle>(parts)) {}

Compose::Compose(std::vector<TransformHandle> parts)
    : TransformHandle(std::make_shared<ComposeTransform>(std::move(parts))) {}

// Inner Composes are opened, so that a part's streams depend on its place in the whole chain alone.
ComposeTransform::ComposeTransform(std::vector<TransformHandle> parts) {
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].empty()) throw InvalidArgument(c10::str("Compose: part ", i, " is an empty transform"));
    if (const auto* inner = dynamic_cast<const ComposeTransform*>(&*parts[i])) {
      parts_.insert(parts_.end(), inner->parts_.begin(), inner->parts_.end());
    } else {
      parts_.push_back(parts[i]);
    }
  }
}

Batch ComposeTransform::apply(Batch batch, std::span<const RandomStream> rows) const {
  return apply_chain(parts_, std::move(batch), rows);
}

}  // namespace tandem::data
