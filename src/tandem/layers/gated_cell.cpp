#include "tandem/layers/gated_cell.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include "tandem/core/error.h"

namespace tandem {

GatedCell::GatedCell(std::string class_name, CellSettings settings, int64_t gates)
    : class_name_(std::move(class_name)), settings_(std::move(settings)), gates_(gates) {
  check_cell(settings_, class_name_);
}

void GatedCell::must_be_positive(const char* what, int64_t n) const {
  if (n <= 0) throw InvalidArgument(c10::str(class_name_, ": ", what, " must be positive, got ", n));
}

CellDropout GatedCell::draw(at::IntArrayRef input, const Tensor& state, const CallContext& context) const {
  if (!context.training) return {};
  // As in Keras, where recurrent dropout brings masks by gate.
  const bool by_gate = settings_.implementation == 1 || settings_.recurrent_dropout > 0;
  const auto masks = [&](at::IntArrayRef shape, double rate, const char* which) {
    std::vector<Tensor> drawn;
    if (rate == 0) return drawn;
    CallContext own = context;
    own.random = context.random.fold(which);
    for (int64_t gate = 0; gate < (by_gate ? gates_ : 1); ++gate) {
      drawn.push_back(
          kept(Shape::of(shape.vec()), rate, own.part(static_cast<uint64_t>(gate)), settings_.seed, state.detach())
              .mul_(1 / (1 - rate)));
    }
    return drawn;
  };
  return {masks(input, settings_.dropout, "dropout"),
          masks(state.sizes(), settings_.recurrent_dropout, "recurrent dropout")};
}

Tensors GatedCell::step(const Tensor& x, const Tensors& states, const CallContext& context) {
  const CellDropout dropout = draw(x.sizes(), states[0], context);
  return advance(project(x, dropout.input), states, dropout.recurrent);
}

SequenceResult GatedCell::run(const Sequence& sequence, const CallContext& context) {
  const CellDropout dropout = draw(sequence.x.sizes().slice(1), sequence.states[0], context);
  Sequence projected = sequence;
  projected.x = project(sequence.x, dropout.input);
  if (dropout.recurrent.empty()) {
    if (auto result = run_fused(projected)) return *std::move(result);
  }
  return run_steps(
      projected, [&](int64_t t, const Tensors& states) { return advance(projected.x[t], states, dropout.recurrent); });
}

}  // namespace tandem
