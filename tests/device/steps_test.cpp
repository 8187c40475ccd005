// Steps on GPUs: the next batch travels while one is computed, and the host waits for no stream.
#include <mutex>

#include "check.h"
#include "device_counts.h"
#include "fits.h"
#include "stand_in.h"
#include "tandem/model/body.h"
#include "tandem/testing/message_of.h"

namespace tandem::testing {
namespace {

using namespace layers;

Model dense_model(const distribute::Strategy& strategy, MetricsArgument metrics = {}) {
  set_random_seed(5);
  Sequential model({Input({3}), Dense(8, {.activation = "tanh"}), Dense(2)});
  model.compile({.optimizer = optimizers::Adam({.learning_rate = 0.01}),
                 .loss = "mse",
                 .metrics = std::move(metrics),
                 .strategy = strategy});
  return model;
}

// Rows that were announced are on the device before their step: what is written over them later is not seen.
void check_ahead(Checks& check) {
  for (const int64_t replicas : {1, 2}) {
    Model model = dense_model(mirrored(parts_of_first_gpu(replicas)));
    auto& execution = model.body().trainer().execution();
    check.that(execution.looks_ahead(), "an execution on GPUs wants to know the next batch");
    std::mutex mutex;
    double seen = 0;
    const distribute::Observer observer = [&](int64_t, const data::Batch& rows, const Tensors&, const Tensors&) {
      const double sum = rows.x[0].sum().item<double>();
      const std::lock_guard lock(mutex);
      seen += sum;
    };
    const data::Batch first{at::ones({4, 3}), {at::ones({4, 2})}, {}};
    data::Batch second{at::full({4, 3}, 2.0), {at::ones({4, 2})}, {}};
    const data::Batch other{at::full({5, 3}, 3.0), {at::ones({5, 2})}, {}};
    const auto step = [&](const data::Batch& batch) {
      seen = 0;
      execution.train_step(batch, {.rate = 0.01}, observer);
      return seen;
    };
    execution.expect(second);
    check.that(step(first) == 12, "the first batch is what it is");
    second.x[0].zero_();
    check.that(step(second) == 24, "the second was copied while the first was computed");
    check.that(step(second) == 0, "and is copied again where it was not announced");
    execution.expect(second);
    step(first);
    check.that(step(other) == 45, "a batch in place of the announced one is taken");
    check.that(step(first) == 12, "and so is the one after it");
    execution.expect(second);
    execution.test_step(first, observer);
    check.that(execution.predict_step(first)[0].size(0) == 4, "tests and predictions look ahead, too");
  }
}

// Counts of 6 and of 12 steps: the same number of waits.
void check_waits(Checks& check) {
  if (!stream_waits_of_host()) return;
  for (const int64_t replicas : {1, 2}) {
    for (const bool metrics : {false, true}) {
      Model model =
          dense_model(mirrored(parts_of_first_gpu(replicas)), metrics ? MetricsArgument{"mae"} : MetricsArgument());
      const auto waits = [&](int64_t rows) {
        const auto before = *stream_waits_of_host();
        model.fit(normal({rows, 3}, 1), normal({rows, 2}, 2), {.batch_size = 4, .verbose = 0});
        return *stream_waits_of_host() - before;
      };
      waits(24);  // fit looks once how fast one replica alone would be
      waits(48);
      const auto few = waits(24), many = waits(48);
      check.that(few == many, std::to_string(replicas) + " replicas" + (metrics ? " with a metric" : "") + ": " +
                                  std::to_string(few) + " waits in 6 steps, " + std::to_string(many) + " in 12");
    }
  }
}

// A batch that cannot be made ends the training where it is needed, not one step before.
void check_failing_batch(Checks& check) {
  const auto updates = [](const distribute::Strategy& strategy) {
    Model model = dense_model(strategy);
    const Tensor x = at::arange(60).to(at::kFloat).view({20, 3});
    const Dataset data = data::TensorDataset(x, at::zeros({20, 2})).map(data::MapRows([](data::Example row) {
      if (row.x[0][0].item<float>() >= 36) throw DataError("no such row");
      return row;
    }));
    const auto message = message_of<DataError>([&] { model.fit(data.batch(4), {.verbose = 0}); });
    return message.find("no such row") == std::string::npos ? -1 : model.body().trainer().execution().iterations();
  };
  const auto want = updates(distribute::SingleDevice("cpu:0")), got = updates(distribute::SingleDevice("gpu:0"));
  check.that(want == 3 && got == 3, "three batches are trained before the fourth fails, got " + std::to_string(got));
}

// Two fits of one epoch are one of two, and a model goes on from the state of another's optimizer.
void check_state(Checks& check) {
  const auto strategy = mirrored(parts_of_first_gpu(2));
  const Tensor x = normal({20, 3}, 1), y = normal({20, 2}, 2);
  Model once = dense_model(strategy), twice = dense_model(strategy);
  once.fit(x, y, {.batch_size = 8, .epochs = 2, .verbose = 0});
  twice.fit(x, y, {.batch_size = 8, .verbose = 0});
  twice.fit(x, y, {.batch_size = 8, .verbose = 0});
  bool equal = true;
  for (std::size_t i = 0; i < once.get_weights().size(); ++i)
    equal = equal && at::equal(once.get_weights()[i], twice.get_weights()[i]);
  check.that(equal, "two fits of one epoch equal one of two");

  auto& trained = once.body().trainer().execution();
  const auto state = trained.optimizer_state();
  bool here = true;
  for (std::size_t i = 0; i < once.trainable_weights().size(); ++i) {
    const Tensor& slot = state.tensor("momentum/" + std::to_string(i));
    here = here && slot.is_cpu() && slot.abs().max().item<double>() > 0;
  }
  check.that(here, "an optimizer's slots come to host memory");
  Model other = dense_model(strategy);
  other.set_weights(once.get_weights());
  other.body().trainer().execution().set_optimizer_state(state);
  const data::Batch batch{x, {y}, {}};
  const distribute::Observer nobody;
  for (auto* model : {&once, &other}) {
    auto& execution = model->body().trainer().execution();
    execution.load();
    execution.train_step(batch, {.rate = 0.01}, nobody);
    execution.store();
  }
  for (std::size_t i = 0; i < once.get_weights().size(); ++i)
    equal = equal && at::equal(once.get_weights()[i], other.get_weights()[i]);
  check.that(equal, "and another model goes on from them");
}

int run() {
  use_gpu_or_stand_in();
  Checks check;
  check_ahead(check);
  check_waits(check);
  check_failing_batch(check);
  check_state(check);
  return check.status();
}

}  // namespace
}  // namespace tandem::testing

int main() { return tandem::testing::run(); }
