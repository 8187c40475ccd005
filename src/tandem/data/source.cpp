#include "tandem/data/source.h"

#include <numeric>
#include <vector>

namespace tandem::data {

Batch Source::all() const {
  std::vector<int64_t> rows(static_cast<std::size_t>(size()));
  std::iota(rows.begin(), rows.end(), int64_t{0});
  return get(rows);
}

Tensors Source::targets() const { return all().y; }

}  // namespace tandem::data
