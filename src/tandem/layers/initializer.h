#pragma once
#include <memory>
#include <string>

#include "tandem/core/config.h"
#include "tandem/core/handle.h"
#include "tandem/core/random.h"
#include "tandem/core/shape.h"
#include "tandem/core/tensor.h"

namespace tandem {

/// Draws the first values of a weight, as keras.initializers. The same stream and shape always give the same values.
class Initializer {
 public:
  virtual ~Initializer() = default;
  /// float32 tensor of `shape` (Keras's layout: the last axis is the output, the one before it the input).
  virtual Tensor operator()(const Shape& shape, const RandomStream& random) const = 0;
  /// Keras's class name ("GlorotUniform") and settings.
  virtual std::string class_name() const = 0;
  virtual Config get_config() const { return Config::object(); }

  /// By Keras's name ("glorot_uniform", "GlorotUniform"). Throws InvalidArgument on an unknown one.
  static std::shared_ptr<Initializer> make(const std::string& name);
  /// The same with settings under Keras's keys; those that are missing have Keras's defaults.
  static std::shared_ptr<Initializer> make(const std::string& name, const Config& config);
};

}  // namespace tandem
