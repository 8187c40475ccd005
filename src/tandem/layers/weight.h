#pragma once
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "tandem/core/handle.h"
#include "tandem/core/shape.h"
#include "tandem/core/tensor.h"
#include "tandem/layers/constraint.h"
#include "tandem/layers/initializer.h"
#include "tandem/layers/regularizer.h"

namespace tandem {

/// What a weight is, and its master value. Strategies give each replica its own tensor in place of the master
/// (WeightScope).
struct Variable {
  std::string name;  // "kernel"
  Shape shape;       // Keras's layout
  Tensor value;      // float32; a convolution's kernel is laid out in memory as its algorithm wants it
  bool trainable = true;
  /// For statistics: they come from the whole batch, so that every replica with rows gives it the same value in a step.
  bool of_whole_batch = false;
  bool is_table = false;  // as of WeightOptions
  std::shared_ptr<Regularizer> regularizer;
  std::shared_ptr<Constraint> constraint;  // applied after each update
};

/// How a layer declares a weight. Order as in keras.layers.Layer.add_weight.
struct WeightOptions {
  Handle<Initializer> initializer = "glorot_uniform";
  bool trainable = true;
  Handle<Regularizer> regularizer = {};
  Handle<Constraint> constraint = {};
  /// Axes of the shape from the outermost to the innermost in memory; empty: row-major. Conv2D keeps its (height,
  /// width, in, out) kernel as {3, 0, 1, 2}, so that LibTorch's view of it is channels-last without a copy.
  std::vector<int64_t> memory_order = {};
  /// The layer reads rows by their numbers and asks its CallContext for them (rows_of), so that the weight need not be
  /// where the layer is called.
  bool is_table = false;
};

/// A weight of a layer; copies are the same weight.
class Weight {
 public:
  Weight() = default;
  explicit Weight(std::shared_ptr<Variable> variable) : variable_(std::move(variable)) {}

  /// The tensor to compute with: the running replica's own on a replica thread, else the master's; cast to 16 bits
  /// where the layer that is called computes in them and the weight is trainable.
  Tensor value() const;
  bool defined() const { return variable_ != nullptr; }
  const std::string& name() const { return variable_->name; }
  const Shape& shape() const { return variable_->shape; }
  bool trainable() const { return variable_->trainable; }
  Variable& variable() const { return *variable_; }
  /// Copies `value` into the master. Throws InvalidArgument naming both shapes when they differ.
  void assign(const Tensor& value) const;
  bool operator==(const Weight&) const = default;

 private:
  const Tensor& own_value() const;

  std::shared_ptr<Variable> variable_;
};

/// Which tensor stands in for each variable.
using WeightMap = std::unordered_map<const Variable*, Tensor>;

/// Brings weights that are elsewhere to who reads them whole.
class AbsentWeights {
 public:
  virtual ~AbsentWeights() = default;
  /// Null: it is not one of them.
  virtual const Tensor* bring(const Variable& variable) = 0;
};

/// While alive, Weight::value() on this thread returns the tensors of `map`, or what `absent` brings instead; others
/// stay the master's. Both must outlive it.
class WeightScope {
 public:
  explicit WeightScope(const WeightMap& map, AbsentWeights* absent = nullptr);
  ~WeightScope();
  /// The map in force on this thread, where a replica is computing; null elsewhere.
  static const WeightMap* current();
  WeightScope(const WeightScope&) = delete;
  WeightScope& operator=(const WeightScope&) = delete;

 private:
  const WeightMap* outer_;
  AbsentWeights* outer_absent_;
};

/// A tensor of `shape` whose axes lie in memory in `order` (outermost first), filled by `initializer`.
Tensor make_weight_value(const Shape& shape, const std::vector<int64_t>& order, const Initializer& initializer,
                         const RandomStream& random);

}  // namespace tandem
