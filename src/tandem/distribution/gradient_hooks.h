#pragma once
#include <functional>
#include <vector>

#include "tandem/core/tensor.h"

namespace tandem::distribute {

/// Calls `ready(i)` from within backward, on the thread that runs it, each time autograd has added a gradient to
/// leaves[i]. Takes the place of what was called before.
void on_gradients(const std::vector<Tensor>& leaves, std::function<void(std::size_t)> ready);
/// Nothing is called any more.
void no_longer_on_gradients(const std::vector<Tensor>& leaves);
/// Whether something is called.
bool is_called_on_gradients(const Tensor& leaf);

}  // namespace tandem::distribute
