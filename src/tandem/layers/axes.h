#pragma once
#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "tandem/core/config.h"

namespace tandem {

/// One axis or several, counted from the end where negative: `0`, `{0, 1, 2}`. Remembers which of the two it was, since
/// Keras's configs keep them apart.
class Axes {
 public:
  Axes(int64_t axis) : numbers_{axis}, one_(true) {}
  Axes(std::initializer_list<int64_t> axes) : numbers_(axes) {}
  Axes(std::vector<int64_t> axes) : numbers_(std::move(axes)) {}
  /// Throws DataError on other content than whole numbers.
  static Axes from_config(const Config& config);

  const std::vector<int64_t>& numbers() const { return numbers_; }
  Config to_config() const;
  /// The axes of a tensor of `rank`, none of them negative. Throws InvalidArgument, beginning with `where`, on one that
  /// the tensor has not, and on the same one twice.
  std::vector<int64_t> of_rank(const std::string& where, int64_t rank) const;

 private:
  std::vector<int64_t> numbers_;
  bool one_ = false;
};

}  // namespace tandem
