#include "tandem/training/trainer.h"

#include <c10/util/StringUtil.h>

#include "tandem/core/error.h"
#include "tandem/data/generator_loader.h"
#include "tandem/network/stateful.h"
#include "tandem/network/subclassed.h"
#include "tandem/training/running_figures.h"

namespace tandem {
namespace {

// As Keras sees them: of batches that a function gives, an axis that differs between the first two may have any size.
Shapes input_shapes(const Dataset& data, const RandomStream& random) {
  Shapes shapes;
  if (data.size() != data::kUnknownSize) {
    for (const auto& x : data.get(0).x) shapes.push_back(Shape::of(x.sizes().vec()).without_batch().with_batch());
    return shapes;
  }
  const auto first = data::first_batches(data, 2, random);
  if (first.empty()) throw_no_batch("model");
  for (int64_t i = 0; i < first.front().x.size(); ++i) {
    auto sizes = first.front().x[i].sizes().vec();
    const auto other = first.back().x[i].sizes();
    for (std::size_t axis = 1; axis < sizes.size(); ++axis) {
      if (other[axis] != sizes[axis]) sizes[axis] = -1;
    }
    shapes.push_back(Shape::of(sizes).without_batch().with_batch());
  }
  return shapes;
}

}  // namespace

void throw_no_batch(const char* who) {
  throw InvalidArgument(c10::str(who,
                                 ": the data must give at least one batch, got none; a BatchGenerator of one stream is "
                                 "spent once it has ended, one made with a function of the pass begins anew"));
}

Trainer::Trainer(TrainerParts parts) : parts_(std::move(parts)), random_(random_root().fold("training")) {
  if (parts_.strategy.empty()) parts_.strategy = distribute::make_strategy("single", {});
  if (parts_.strategy->all_devices() > 1) {
    if (const auto why = parts_.network->why_not_replicable(); !why.empty()) throw InvalidArgument(why);
  }
  parts_.strategy->check(*parts_.network);
  if (parts_.optimizer) parts_.strategy->check_optimizer(*parts_.optimizer);
  parts_.strategy->check_losses(distribute::LossSet(parts_.losses, parts_.loss_weights));
}

Trainer::~Trainer() = default;

distribute::Execution& Trainer::execution(const StepGate* gate) {
  if (!execution_) {
    if (!parts_.network->built()) {
      throw InvalidArgument(c10::str("model '", parts_.network->name(),
                                     "': must know its input shape before this; call it on data, or begin with Input"));
    }
    distribute::Program program{parts_.network, nullptr, parts_.optimizer};
    if (gate) program.stop = gate->stops();
    if (!parts_.losses.empty())
      program.losses = std::make_shared<distribute::LossSet>(parts_.losses, parts_.loss_weights);
    bound_weights_ = parts_.network->weights();
    execution_ = parts_.strategy->bind(program);
  }
  if (parts_.network->weights() != bound_weights_) {
    throw InvalidArgument(
        c10::str("model '", parts_.network->name(), "': its layers changed since it was first used; compile it again"));
  }
  return *execution_;
}

void Trainer::set_optimizer_state(const StateDict& state) {
  execution().set_optimizer_state(state);
  state_set_ = true;
}

void Trainer::bind(const Dataset& data, const StepGate* gate) {
  if (data.size() == 0)
    throw InvalidArgument(c10::str("model '", parts_.network->name(), "': data must have at least one row, got 0"));
  if (!parts_.network->built()) {
    parts_.network->ensure_built(input_shapes(data, random_));
  }
  execution(gate);
}

void Trainer::check_batches_of(const char* who, const Dataset& data, int64_t batch_size, int64_t batches) const {
  if (data.size() == data::kUnknownSize) return;  // check_rows sees each batch
  check_batches(*parts_.network, who, data.batch_size() > 0 ? data.batch_size() : batch_size, data.size(), batches,
                data.drop_remainder());
}

void Trainer::check_rows(const char* who, const data::Batch& batch) const {
  check_batches(*parts_.network, who, batch.rows(), batch.rows(), 1, false);
}

void Trainer::require_loss(const char* who) const {
  // A model's own step may do without.
  if (parts_.losses.empty() && !dynamic_cast<const SubclassedModel*>(parts_.network.get()))
    throw InvalidArgument(c10::str(who, ": the model must be compiled with a loss first"));
}

void Trainer::store() {
  const std::lock_guard lock(mutex_);
  if (execution_) execution_->store();
}

void Trainer::load() {
  const std::lock_guard lock(mutex_);
  if (execution_) execution_->load();
}

RunningFigures Trainer::running_figures() const {
  const auto outputs = parts_.network->output_names();
  std::vector<std::string> prefixes;
  for (const auto& name : outputs) prefixes.push_back(outputs.size() > 1 ? name + "_" : "");
  return {execution_.get(), MetricSet(parts_.metrics, std::move(prefixes), execution_->ranks()), LossMean(outputs)};
}

}  // namespace tandem
