#include "tandem/data/row_files.h"

#include <c10/util/StringUtil.h>

#include "tandem/core/error.h"
#include "tandem/data/source.h"

namespace tandem::data {

std::vector<int64_t> files_of(const Source& source) {
  const auto rows = static_cast<std::size_t>(source.size());
  const auto* named = dynamic_cast<const RowFiles*>(&source);
  if (!named) return std::vector<int64_t>(rows, 0);
  auto files = named->files();
  if (files.size() != rows)
    throw InvalidArgument(c10::str("data set: files() must name one for each of ", rows, " rows, got ", files.size()));
  return files;
}

}  // namespace tandem::data
