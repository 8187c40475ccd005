// A Keras-style model trained by one process or by several, each with its part of every batch:
//     example_data_parallel                                    one process
//     tandem launch -n 2 -- example_data_parallel              two; the same for torchrun --no-python
// An argument names how they exchange: auto, which is taken without one, or gloo. Every rank prints the same loss,
// accuracy and weights.
#include <tandem/tandem.h>

#include <cstdio>

using namespace tandem;

int main(int argc, char** argv) try {
  set_random_seed(7);
  const auto group = distribute::init_process_group({.backend = argc > 1 ? argv[1] : "auto", .limit_seconds = 20});
  const auto [train, test] = data::split(datasets::digits(), {0.8, 0.2}, {.seed = 42});
  Sequential model({layers::Input({8, 8, 1}), layers::Conv2D(8, {3, 3}, {.activation = "relu"}),
                    layers::BatchNormalization({.synchronized = true}), layers::Flatten(), layers::Dropout(0.2),
                    layers::Dense(10, {.activation = "softmax"})});
  model.compile({.optimizer = optimizers::Adam({.learning_rate = 0.003}),
                 .loss = "sparse_categorical_crossentropy",
                 .metrics = {"accuracy"},
                 .strategy = distribute::DataParallel({.group = group, .fixed_order = 2})});
  model.fit(train.map(data::Rescale(1.0 / 16)).shuffle().batch(64),
            {.epochs = 3,
             .verbose = 2,  // rank 0 prints
             .callbacks = {callbacks::ModelCheckpoint("digits-{epoch}.weights.h5", {.save_weights_only = true}),
                           callbacks::CSVLogger("epochs.csv")},
             .validation_data = test.map(data::Rescale(1.0 / 16)).batch(64)});
  const auto figures = model.evaluate(test.map(data::Rescale(1.0 / 16)), {.verbose = 0});
  std::printf("rank %d of %d: loss %.6f, accuracy %.4f\nweights %s\n", static_cast<int>(group.rank()),
              static_cast<int>(group.world_size()), figures["loss"], figures["accuracy"],
              weights_sha256(model).c_str());
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return dynamic_cast<const PeerError*>(&error) ? 4 : 1;  // 4: the launcher looks elsewhere for the cause
}
