#pragma once
#include <memory>
#include <string>

#include "tandem/core/config.h"
#include "tandem/core/handle.h"
#include "tandem/core/tensor.h"

namespace tandem {

/// A projection of a weight that is made after each update, as keras.constraints.
class Constraint {
 public:
  virtual ~Constraint() = default;
  /// The projected weight, of the same shape. Called without gradients on each replica's own tensor.
  virtual Tensor operator()(const Tensor& weight) const = 0;
  virtual std::string class_name() const = 0;
  virtual Config get_config() const { return Config::object(); }

  /// By Keras's name: "max_norm", "non_neg", "unit_norm", "min_max_norm" with Keras's default settings. Throws
  /// InvalidArgument on an unknown one.
  static std::shared_ptr<Constraint> make(const std::string& name);
  /// The same with settings under Keras's keys.
  static std::shared_ptr<Constraint> make(const std::string& name, const Config& config);
};

}  // namespace tandem
