#pragma once
#include <memory>
#include <vector>

#include "tandem/callbacks/callback.h"
#include "tandem/core/handle.h"
#include "tandem/model/body.h"
#include "tandem/model/fit_options.h"
#include "tandem/training/trainer.h"

namespace tandem {

/// Keras's arguments of fit brought to what the trainer takes: preprocessing, augmentation and class weights become
/// transforms of the data. Throws InvalidArgument on those that do not fit x, y and one another.
FitPlan make_fit_plan(ModelBody& body, const Tensors& x, const Tensors& y, const FitOptions& options);
FitPlan make_fit_plan(ModelBody& body, const Dataset& data, const FitOptions& options);

/// Callbacks that were given by name or as objects.
std::vector<std::shared_ptr<Callback>> make_callbacks(const std::vector<Handle<Callback>>& handles);

}  // namespace tandem
