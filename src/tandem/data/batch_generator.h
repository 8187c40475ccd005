#pragma once
#include <functional>

#include "tandem/data/dataset.h"
#include "tandem/data/generator_source.h"

namespace tandem::data {

/// Data that a function gives batch by batch, without anyone knowing how many there will be: what a Python generator, a
/// PyDataset without a length or a tf.data pipeline is to Keras. For fit, its validation_data, evaluate and predict.
///
/// Passes that begin anew: the function is called for each pass over the data with its number (fit counts on, evaluate,
/// predict and validation have pass 0), and what it returns gives that pass's batches, then nothing:
///     data::BatchGenerator train([&](int64_t pass) {
///       return [&, row = 0]() mutable -> std::optional<data::Batch> { ... };
///     });
/// One stream, as a Python generator: each call gives the next batch, whoever asks; once it has given nothing it is
/// spent, and a fit whose epochs need more ends with a warning. A function that always has a batch may return a Batch:
///     data::BatchGenerator endless([&] { return data::Batch{.x = ..., .y = ...}; });
///     model.fit(endless, {.epochs = 3, .steps_per_epoch = 100});
///
/// Without an end, fit needs steps_per_epoch, validation_steps, and evaluate and predict `steps`. Batches may have any
/// number of rows; inputs, targets and weights must be as many as in the first one and have as many axes. The function
/// is called when a batch is needed, on the thread that trains, so it may ask the model; after `.prefetch(n)` by one
/// other thread, at most n batches ahead. What it throws arrives with the number of the batch. `map` works; everything
/// that would have to know rows by number (shuffle, take, batch, split) throws InvalidArgument.
class BatchGenerator : public Dataset {
 public:
  explicit BatchGenerator(std::function<NextBatch(int64_t pass)> passes)
      : Dataset(std::make_shared<GeneratorSource>(std::move(passes))) {}
  explicit BatchGenerator(NextBatch stream) : Dataset(std::make_shared<GeneratorSource>(std::move(stream))) {}
};

}  // namespace tandem::data
