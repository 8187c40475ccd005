#pragma once
#include <string>

#include "tandem/core/config.h"

namespace tandem {

/// What a random image layer draws from: `0.2` stands for [-0.2, 0.2], `{-0.1, 0.3}` for itself. Default constructed it
/// is not given, which stands for None of Keras.
class RandomRange {
 public:
  RandomRange() = default;
  RandomRange(double both) : low_(both < 0 ? both : -both), high_(-low_), first_(both), one_(true), given_(true) {}
  RandomRange(double low, double high)
      : low_(low < high ? low : high), high_(low < high ? high : low), first_(low), second_(high), given_(true) {}
  /// From a number or a list of two. Throws DataError on other content.
  static RandomRange from_config(const Config& config);

  double low() const { return low_; }
  double high() const { return high_; }
  bool one() const { return one_; }
  bool given() const { return given_; }
  /// As it was given.
  Config to_config() const;
  /// Throws InvalidArgument, beginning with `where`, unless both ends are within [low, high].
  void check(const std::string& where, double low, double high) const;

 private:
  double low_ = 0, high_ = 0, first_ = 0, second_ = 0;
  bool one_ = false, given_ = false;
};

}  // namespace tandem
