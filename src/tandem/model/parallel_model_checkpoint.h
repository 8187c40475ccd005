#pragma once
#include <string>

#include "tandem/callbacks/model_checkpoint.h"
#include "tandem/model/model.h"

namespace tandem::callbacks {

/// The name under which code for multi_gpu_model knows a ModelCheckpoint that saves the template:
/// `ParallelModelCheckpoint(model, "best.weights.h5", {...})`. Here every ModelCheckpoint writes the template's file;
/// this one also makes sure that `model` shares its weights with the model that is trained, and throws InvalidArgument
/// when training begins where it does not.
class ParallelModelCheckpoint : public Handle<Callback> {
 public:
  ParallelModelCheckpoint(const Model& model, std::string filepath, ModelCheckpointOptions options = {});
};

}  // namespace tandem::callbacks
