#pragma once
#include "tandem/layers/convolution.h"
#include "tandem/layers/gated_cell.h"

namespace tandem {

/// One step of ConvLSTM1D, 2D and 3D (Shi et al. 2015): an LSTM's whose products are convolutions, gates i, f, c, o in
/// the channels. Weights: kernel (spatial sizes, in, 4 filters), recurrent_kernel (spatial sizes, filters, 4 filters),
/// bias (4 filters,).
class ConvLSTMCellLayer : public GatedCell {
 public:
  /// Throws InvalidArgument on filters that are not positive and strides together with dilation.
  ConvLSTMCellLayer(int64_t filters, Windows windows, Padding padding, CellSettings settings);

  Config get_config() const override;
  void build(const Shape& input) override;
  Shapes state_shapes() const override { return {state_, state_}; }

 protected:
  Tensor project(const Tensor& x, const std::vector<Tensor>& masks) const override;
  Tensors advance(const Tensor& projected, const Tensors& states, const std::vector<Tensor>& masks) const override;

 private:
  Tensor convolve_gates(const Tensor& x, const Tensor& kernel, const std::vector<Tensor>& masks, const Windows& windows,
                        Padding padding) const;

  int64_t filters_;
  Windows windows_, dense_;  // dense_: of the recurrent kernel, which moves by one
  Padding padding_;
  Shape state_;
  Weight kernel_, recurrent_, bias_;
};

}  // namespace tandem
