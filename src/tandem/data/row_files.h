#pragma once
#include <cstdint>
#include <vector>

namespace tandem::data {

/// A source whose rows lie in files; a user's own one derives from it beside Source, so that ranks can share it file by
/// file (data::shard).
class RowFiles {
 public:
  virtual ~RowFiles() = default;
  /// By row: the number of its file, from 0.
  virtual std::vector<int64_t> files() const = 0;
};

class Source;
/// The same for any source: all rows in file 0 where it does not say.
std::vector<int64_t> files_of(const Source& source);

}  // namespace tandem::data
