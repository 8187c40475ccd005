// Trainer::train_on_batch, test_on_batch, predict_on_batch: one step without the loop around it.
#include <c10/util/StringUtil.h>

#include "tandem/core/error.h"
#include "tandem/data/loader.h"
#include "tandem/training/running_figures.h"
#include "tandem/training/trainer.h"

namespace tandem {

data::Batch Trainer::one_batch(const char* who, const Dataset& data) {
  bind(data);
  check_batches_of("one batch", data, data.size(), 1);
  begin_pass();
  return together(who, [&] {
    data::Loader loader(data.batch(data.size()), {.random = random_, .workers = 0, .own_rows = execution_->own_rows()});
    loader.start_epoch(0);
    return *loader.next();
  });
}

Logs Trainer::train_on_batch(const Dataset& data) {
  const Use use(*this);
  require_loss("train_on_batch");
  if (!parts_.optimizer) throw InvalidArgument("train_on_batch: the model must be compiled with an optimizer first");
  if (fitting_) {
    throw InvalidArgument(
        c10::str("train_on_batch: model '", parts_.network->name(), "' is being trained already by fit"));
  }
  const auto batch = one_batch("train_on_batch", data);
  if (execution_->crowd() && execution_->parts_of_batch() > 1)
    throw InvalidArgument(
        "train_on_batch: must not be called by several processes with backup workers, which make a pass together");
  auto figures = running_figures();
  const auto step = static_cast<uint64_t>(execution_->steps());
  return together("train_on_batch", [&] {
    const auto observe = figures.observer();
    figures.losses.add(execution_->train_step(
        batch,
        {.random = random_.fold("step").fold(step), .rate = parts_.optimizer->learning_rate(execution_->iterations())},
        observe));
    for (const auto& result : execution_->finish_steps()) figures.losses.add(result);
    execution_->receipt(batch.all_rows());
    execution_->store();
    return figures.logs();
  });
}

Logs Trainer::test_on_batch(const Dataset& data) {
  const Use use(*this);
  require_loss("test_on_batch");
  const auto batch = one_batch("test_on_batch", data);
  auto figures = running_figures();
  return together("test_on_batch", [&] {
    figures.losses.add(execution_->test_step(batch, figures.observer()));
    return figures.logs();
  });
}

Tensors Trainer::predict_on_batch(const Dataset& data) {
  const Use use(*this);
  const auto batch = one_batch("predict_on_batch", data);
  return together("predict_on_batch", [&] { return execution_->predict_step(batch); });
}

}  // namespace tandem
