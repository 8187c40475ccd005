#include "tandem/servers/push_parts.h"

#include <c10/util/StringUtil.h>

#include "tandem/core/error.h"

namespace tandem::servers {

bool PushParts::add(std::size_t place, const Push& push) {
  if (count_ == 0) {
    push_ = push;
    push_.gradient.reset();
    push_.table_rows.reset();
  }
  const auto& first = push_;
  if (push.id != first.id || push.version != first.version || push.rows != first.rows ||
      push.all_rows != first.all_rows || push.rate != first.rate || push.scale != first.scale)
    throw DataError(c10::str("push ", push.id, " of worker ", push.worker, ": block ", push.block,
                             " must go with push ", first.id, ", of which blocks are missing"));
  if (has(place)) return false;
  gradients_[place] = push.gradient;
  rows_[place] = push.table_rows;
  ++count_;
  return true;
}

void PushParts::clear() {
  for (auto* tensors : {&gradients_, &rows_}) {
    for (auto& tensor : *tensors) tensor.reset();
  }
  count_ = 0;
}

}  // namespace tandem::servers
