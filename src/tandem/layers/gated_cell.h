#pragma once
#include <optional>
#include <string>
#include <vector>

#include "tandem/layers/cell_settings.h"
#include "tandem/layers/recurrent_cell.h"

namespace tandem {

/// Dropout masks of a cell, the same at every step of a sequence (Gal and Ghahramani 2016): one for each gate, or one
/// for all; empty: nothing is dropped.
struct CellDropout {
  std::vector<Tensor> input, recurrent;
};

/// Base of the built-in cells. Their inputs' part of the gates does not depend on the states, so that it is computed
/// for all steps at once; what is left is done step by step, or for all steps together where run_fused can.
class GatedCell : public RecurrentCell {
 public:
  /// Throws InvalidArgument on settings that cannot be.
  GatedCell(std::string class_name, CellSettings settings, int64_t gates);

  std::string class_name() const override { return class_name_; }
  Tensors step(const Tensor& x, const Tensors& states, const CallContext& context) final;
  SequenceResult run(const Sequence& sequence, const CallContext& context) final;

 protected:
  /// The inputs' part of the gates, bias included, as a tensor of its own, for (rows, ...) or (steps, rows, ...).
  virtual Tensor project(const Tensor& x, const std::vector<Tensor>& masks) const = 0;
  /// {output, new states...} from one step's part.
  virtual Tensors advance(const Tensor& projected, const Tensors& states, const std::vector<Tensor>& masks) const = 0;
  /// The whole of a sequence whose x has been projected, and may be overwritten; nothing where the settings do not
  /// allow it.
  virtual std::optional<SequenceResult> run_fused(const Sequence& /*projected*/) const { return {}; }

  Tensor activation(const Tensor& x) const { return settings_.activation(x, {}); }
  Tensor recurrent_activation(const Tensor& x) const { return (*settings_.recurrent_activation)(x, {}); }
  const CellSettings& settings() const { return settings_; }
  /// Whether the activations are tanh and, for the gates, sigmoid, by name.
  bool has_usual_activations() const {
    return settings_.activation.name() == "tanh" && settings_.recurrent_activation->name() == "sigmoid";
  }
  bool has_unit_forget_bias() const { return settings_.unit_forget_bias.value_or(false); }
  int64_t gates() const { return gates_; }
  /// Throws InvalidArgument naming the cell unless n is positive.
  void must_be_positive(const char* what, int64_t n) const;

 private:
  CellDropout draw(at::IntArrayRef input, const Tensor& state, const CallContext& context) const;

  std::string class_name_;
  CellSettings settings_;
  int64_t gates_;
};

}  // namespace tandem
