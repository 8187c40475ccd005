#include "tandem/data/inputs_as_targets.h"

#include <memory>

namespace tandem::data {
namespace {

class InputsAsTargetsTransform : public Transform {
 public:
  explicit InputsAsTargetsTransform(const Preprocessing& preprocessing) : preprocessing_(preprocessing) {}

  Batch apply(Batch batch, std::span<const RandomStream>) const override {
    // Of its own memory: what comes behind may change the input in place.
    const Tensor& x = batch.x[0];
    const Tensor made = preprocessing_.apply(x);
    batch.y = made.is_same(x) ? x.clone() : made;
    return batch;
  }
  std::string class_name() const override { return "InputsAsTargets"; }

 private:
  Preprocessing preprocessing_;
};

}  // namespace

InputsAsTargets::InputsAsTargets(const Preprocessing& preprocessing)
    : TransformHandle(std::make_shared<InputsAsTargetsTransform>(preprocessing)) {}

}  // namespace tandem::data
