#pragma once
#include <functional>
#include <string>

#include "tandem/losses/loss.h"

namespace tandem::losses {

/// What losses::function takes: (y_true, y_pred) to losses, differentiable in y_pred.
using LossFunction = std::function<Tensor(const Tensor& y_true, const Tensor& y_pred)>;

/// A loss from a function of the user's. The result is one value a sample, of shape (rows, ...), or one number for all
/// of them, which then counts for each row, as in Keras. `name` stands in error messages and configs. Replicas call the
/// function from their threads at the same time: it must not change what it captures. The loss throws InvalidArgument
/// when the result has another number of rows.
Handle<Loss> function(LossFunction function, std::string name = "function");

}  // namespace tandem::losses
