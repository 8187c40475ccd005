#pragma once
#include "tandem/core/tensor.h"

namespace tandem {

/// The mask that travels with `x`, as Keras's `_keras_mask`: bool, of x's first axes (rows, steps, ...), true where a
/// step counts. Undefined: every step does.
Tensor mask_of(const Tensor& x);

/// Lets `mask` travel with `x`: it goes wherever this very tensor or a detached one goes, on to another thread too, and
/// is lost by what computes a new tensor. An undefined mask takes the one away that was there. Throws InvalidArgument
/// when the mask is not bool or has not the sizes of x's first axes.
void set_mask(const Tensor& x, const Tensor& mask);

/// `to` with the mask of `from`, which it was copied or converted from.
Tensor with_mask_of(const Tensor& from, Tensor to);

}  // namespace tandem
