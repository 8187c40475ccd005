#pragma once
#include "tandem/data/preprocessing.h"
#include "tandem/data/transform.h"

namespace tandem::data {

/// The targets become the first input as `preprocessing` makes it, for models that give back what they get
/// (autoencoders). The inputs stay as they are: fit applies the model's preprocessing to them itself.
class InputsAsTargets : public TransformHandle {
 public:
  explicit InputsAsTargets(const Preprocessing& preprocessing = {});
};

}  // namespace tandem::data
