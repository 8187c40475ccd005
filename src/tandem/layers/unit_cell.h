#pragma once
#include "tandem/layers/gated_cell.h"

namespace tandem {

/// Base of SimpleRNNCell, GRUCell and LSTMCell: gates of `units` each, side by side in the last axis of kernel (in,
/// gates * units) and recurrent_kernel (units, gates * units).
class UnitCell : public GatedCell {
 public:
  /// Throws InvalidArgument unless units is positive.
  UnitCell(std::string class_name, int64_t units, CellSettings settings, int64_t gates);

  Config get_config() const override;
  void build(const Shape& input) override;
  Shapes state_shapes() const override { return {{units_}}; }

 protected:
  /// Settings that only this cell has.
  virtual Config own_config() const { return Config::object(); }
  /// Declares the bias, where there is one.
  virtual void add_bias() = 0;
  /// What is added to the inputs' part; undefined: nothing.
  virtual Tensor input_bias() const { return bias_.defined() ? bias_.value() : Tensor(); }
  Tensor project(const Tensor& x, const std::vector<Tensor>& masks) const override;
  /// h (rows, units) times gates [first, first + count) of the recurrent kernel.
  Tensor recurrent_product(const Tensor& h, const std::vector<Tensor>& masks, int64_t first, int64_t count) const;

  int64_t units() const { return units_; }
  const Weight& recurrent_kernel() const { return recurrent_; }
  Weight bias_;

 private:
  int64_t units_, in_ = 0;
  Weight kernel_, recurrent_;
};

}  // namespace tandem
