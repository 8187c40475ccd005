// fit, evaluate and predict under SingleDevice and Mirrored on GPUs give what CPUs give.
#include "check.h"
#include "fits.h"
#include "stand_in.h"

namespace tandem::testing {
namespace {

using namespace layers;

constexpr double kTolerance = 1e-4;  // a GPU adds in another order

CompileOptions classification(const Handle<Optimizer>& optimizer) {
  return {.optimizer = optimizer, .loss = "categorical_crossentropy", .metrics = {"accuracy"}};
}

std::vector<FitCase> cases() {
  const auto momentum = optimizers::SGD({.learning_rate = 0.1, .momentum = 0.9});
  std::vector<FitCase> all;
  all.push_back({"dense layers, dropout, Adam, a short last batch, a loss of weights",
                 [] {
                   return Sequential({Input({6}),
                                      Dense(16, {.activation = "relu", .kernel_regularizer = regularizers::L2(0.01)}),
                                      Dropout(0.3), Dense(3, {.activation = "softmax"})});
                 },
                 classification(optimizers::Adam({.learning_rate = 0.02, .clipnorm = 0.5})),
                 normal({25, 6}, 1),
                 one_hot(25, 3, 2),
                 {.batch_size = 7, .epochs = 3}});
  all.push_back({"convolutions, batch statistics by replica, validation, sample weights",
                 [] {
                   return Sequential({Input({6, 6, 2}), Conv2D(4, {3, 3}, {.padding = "same", .use_bias = false}),
                                      BatchNormalization(), Activation("relu"), MaxPooling2D({2, 2}), Flatten(),
                                      Dense(3, {.activation = "softmax"})});
                 },
                 classification(momentum),
                 normal({22, 6, 6, 2}, 3),
                 one_hot(22, 3, 4),
                 {.batch_size = 8,
                  .epochs = 2,
                  .validation_data = {normal({9, 6, 6, 2}, 5), one_hot(9, 3, 6)},
                  .sample_weight = RandomStream(7).uniform({22})},
                 true});
  all.push_back({"batch statistics of the whole batch, on two paths",
                 [] {
                   const auto x = Input({5});
                   const auto path = [](const KerasTensor& from) {
                     return Activation("relu")(BatchNormalization({.synchronized = true})(Dense(8)(from)));
                   };
                   return Model(x, Dense(2)(Add()({path(x), path(path(x))})));
                 },
                 {.optimizer = momentum, .loss = "mse", .metrics = {"mae"}},
                 normal({19, 5}, 8),
                 normal({19, 2}, 9),
                 {.batch_size = 8, .epochs = 2}});
  all.push_back({"two inputs, two outputs, accumulated gradients",
                 [] {
                   const auto a = Input({4}, {.name = "a"}), b = Input({4}, {.name = "b"});
                   const Dense shared(5, {.activation = "tanh"});
                   const auto first = shared(a), second = shared(b);
                   return Model({a, b},
                                {Dense(3, {.activation = "softmax", .name = "kind"})(Concatenate()({first, second})),
                                 Dense(2, {.name = "size"})(Add()({first, second}))});
                 },
                 {.optimizer = momentum,
                  .loss = {"categorical_crossentropy", "mse"},
                  .loss_weights = {1.0, 0.5},
                  .metrics = {{"kind", {"accuracy"}}, {"size", {"mse"}}}},
                 {normal({17, 4}, 1), normal({17, 4}, 2)},
                 {one_hot(17, 3, 3), normal({17, 2}, 4)},
                 {.batch_size = 5, .epochs = 2, .accumulate = 2}});
  all.push_back(
      {"looked up words, a loss that masks",
       [] {
         return Sequential({Input({5}), Embedding(7, 4), Dense(4)});
       },
       {.optimizer = momentum, .loss = losses::SparseCategoricalCrossentropy({.from_logits = true, .ignore_class = 0})},
       (RandomStream(8).uniform({13, 5}) * 7).floor(),
       (RandomStream(3).uniform({13, 5}) * 4).to(at::kInt),
       {.batch_size = 4, .epochs = 2}});
  return all;
}

void check_numbers(Checks& check) {
  for (const auto& one : cases()) {
    const auto on_cpu = fit_on(one, distribute::SingleDevice("cpu:0"));
    for (const auto& devices : device_lists()) {
      const auto want =
          one.by_replica ? fit_on(one, mirrored(Devices::parse("cpu*" + std::to_string(devices.size())))) : on_cpu;
      const auto got = fit_on(one, mirrored(devices));
      const auto different = difference(got, want, kTolerance);
      check.that(different.empty(), one.name + " on " + devices.to_string() + " " + different);
      const int64_t ranks = devices.size();
      for (int64_t r = 0; r < ranks; ++r) {
        const bool sent = got.history.bytes_sent(r) > 0;
        if (sent != (ranks > 1)) check.that(false, "replicas exchange where there are several, and only there");
        if (got.placement.replicas[static_cast<std::size_t>(r)] != devices[r].to_string())
          check.that(false, "replicas are where they should be");
      }
      if (got.placement.outputs != "cpu") check.that(false, "outputs come to host memory");
    }
  }
}

void check_other_ways(Checks& check) {
  const auto task = cases().front();
  const auto two = parts_of_first_gpu(2);
  const auto one = fit_on(task, distribute::SingleDevice("cpu:0"));
  const auto uneven = fit_on(task, distribute::Mirrored({.devices = two, .shares = {3, 1}}));
  check.that(difference(uneven, one, kTolerance).empty(), "unequal shares give the same numbers");
  check.that(uneven.history.rows_per_device() != fit_on(task, mirrored(two)).history.rows_per_device(),
             "and are unequal");
  for (const int64_t bucket : {1, 300}) {
    const auto cut = fit_on(task, distribute::Mirrored({.devices = two, .bucket_bytes = bucket}));
    check.that(difference(cut, one, kTolerance).empty(), "buckets of " + std::to_string(bucket) + " bytes");
  }
  const auto apart = fit_on(task, distribute::Mirrored({.devices = two, .average_every = 2}));
  const auto want = fit_on(task, distribute::Mirrored({.devices = {"cpu:0", "cpu:1"}, .average_every = 2}));
  check.that(difference(apart, want, kTolerance).empty(), "parameters that are averaged now and then");

  Model plain = task.build();
  plain.compile(task.compile);
  check.that(plain.placement().replicas == std::vector<std::string>{"gpu:0"}, "the first GPU is the usual device");
  KerasTensor x, y;
  {
    const DeviceScope scope("gpu:0");
    x = Input({4});
    y = Dense(2)(x);
  }
  Model placed(x, y);
  placed.compile({.optimizer = "sgd", .loss = "mse"});
  placed.fit(normal({6, 4}, 1), normal({6, 2}, 2), {.batch_size = 4, .verbose = 0});
  check.that(placed.placement().replicas == std::vector<std::string>{"gpu:0"}, "a model placed on one GPU runs there");
}

int run() {
  use_gpu_or_stand_in();
  Checks check;
  check_numbers(check);
  check_other_ways(check);
  return check.status();
}

}  // namespace
}  // namespace tandem::testing

int main() { return tandem::testing::run(); }
