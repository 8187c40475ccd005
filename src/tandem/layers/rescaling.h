#pragma once
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "tandem/layers/layer_handle.h"

namespace tandem {

/// One number for all values, or one for each index of the last axis.
class PerChannel {
 public:
  PerChannel(double all) : numbers_{all}, one_(true) {}
  PerChannel(std::initializer_list<double> numbers) : numbers_(numbers) {}
  PerChannel(std::vector<double> numbers) : numbers_(std::move(numbers)) {}
  /// From a number, a list of numbers, or an array of either as Keras stores it. Throws DataError on other content.
  static PerChannel from_config(const Config& config);

  bool one() const { return one_; }
  const std::vector<double>& numbers() const { return numbers_; }
  Config to_config() const;

 private:
  std::vector<double> numbers_;
  bool one_ = false;
};

namespace layers {

struct RescalingOptions {
  PerChannel offset = 0.0;
  std::string name = {};
};

/// x * scale + offset, each one number or a list with one for each channel (the last axis). The shape stays; whole
/// numbers become float32. As keras.layers.Rescaling: `Rescaling(1.0 / 255)`, `Rescaling({0.5, 0.25, 0.25})`. Throws
/// InvalidArgument on numbers that are not finite and on an input whose last axis is not as long as a list.
class Rescaling : public LayerHandle {
 public:
  explicit Rescaling(PerChannel scale, RescalingOptions options = {});
  explicit Rescaling(std::initializer_list<double> scale, RescalingOptions options = {});
  static Rescaling from_config(const Config& config);
};

}  // namespace layers
}  // namespace tandem
