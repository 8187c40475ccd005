#pragma once
#include <memory>
#include <string>

#include "tandem/core/config.h"
#include "tandem/core/handle.h"
#include "tandem/core/tensor.h"

namespace tandem {

/// A penalty on a weight that is added to the loss once, whatever the number of devices, as keras.regularizers.
class Regularizer {
 public:
  virtual ~Regularizer() = default;
  /// Scalar penalty of `weight`, differentiable.
  virtual Tensor operator()(const Tensor& weight) const = 0;
  virtual std::string class_name() const = 0;
  virtual Config get_config() const { return Config::object(); }

  /// By Keras's name: "l1", "l2", "l1_l2" with Keras's default factors. Throws InvalidArgument on an unknown one.
  static std::shared_ptr<Regularizer> make(const std::string& name);
  /// The same with factors under Keras's keys.
  static std::shared_ptr<Regularizer> make(const std::string& name, const Config& config);
};

}  // namespace tandem
