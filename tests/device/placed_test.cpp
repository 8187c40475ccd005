// Layers that scopes place on GPUs and CPUs, as placed and as a replicated model's part on the host: the numbers of one
// CPU device.
#include <map>
#include <mutex>

#include "check.h"
#include "fits.h"
#include "stand_in.h"
#include "tandem/core/device_stream.h"
#include "tandem/testing/message_of.h"

namespace tandem::testing {
namespace {

using namespace layers;

constexpr double kTolerance = 1e-4;

CompileOptions classification() {
  return {.optimizer = optimizers::SGD({.learning_rate = 0.1, .momentum = 0.9, .global_clipnorm = 1.0}),
          .loss = "categorical_crossentropy",
          .metrics = {"accuracy"}};
}

// Within the scope of `device`; without one where that is empty.
template <class Make>
KerasTensor on(const std::string& device, const Make& make) {
  if (device.empty()) return make();
  const DeviceScope scope(device);
  return make();
}

// Two branches with statistics, dropout and a penalty, joined by a softmax.
Model branches(const std::string& stem, const std::string& left, const std::string& right) {
  const auto x = on(stem, [] { return Input({6}); });
  const auto y = on(stem, [&] { return Dense(8, {.activation = "relu"})(x); });
  const auto a = on(left, [&] { return BatchNormalization()(Dense(6)(Dropout(0.3)(y))); });
  const auto b =
      on(right, [&] { return Dense(6, {.activation = "tanh", .kernel_regularizer = regularizers::L2(0.01)})(y); });
  return Model(x, on(left, [&] {
                 return Dense(3, {.activation = "softmax", .activity_regularizer = "l2"})(Concatenate()({a, b}));
               }));
}

void check_as_placed(Checks& check) {
  std::vector<std::array<std::string, 3>> placements{
      {"gpu:0", "gpu:0", "gpu:0"}, {"cpu:0", "gpu:0", "cpu:1"}, {"gpu:0", "cpu:0", "gpu:0"}};
  if (visible_gpus() > 1) {
    placements.push_back({"gpu:0", "gpu:1", "gpu:0"});
    placements.push_back({"gpu:1", "gpu:0", "cpu:0"});
    placements.push_back({"cpu:0", "gpu:0", "gpu:1"});
  }
  FitCase task{"", {}, classification(), normal({22, 6}, 1), one_hot(22, 3, 2), {.batch_size = 8, .epochs = 3}};
  task.build = [] { return branches("", "", ""); };
  const auto want = fit_on(task, distribute::SingleDevice("cpu:0"));
  for (const auto& [stem, left, right] : placements) {
    task.build = [=] { return branches(stem, left, right); };
    const auto got = fit_on(task, distribute::AsPlaced());
    const auto different = difference(got, want, kTolerance);
    check.that(different.empty(), "as placed on " + stem + ", " + left + " and " + right + " " + different);
    int64_t bytes = 0;
    for (std::size_t d = 0; d < got.placement.replicas.size(); ++d)
      bytes += got.history.bytes_sent(static_cast<int64_t>(d));
    check.that((bytes > 0) == (got.placement.replicas.size() > 1), "edges between devices are counted");
  }
  check.that(difference(fit_on({"", [] { return branches("", "", ""); }, classification(), task.x, task.y, {}},
                               distribute::SingleDevice("cpu:0")),
                        want, kTolerance) != "",
             "another training gives other numbers");
}

void check_refusals(Checks& check) {
  const auto compile = [](const std::string& left, const std::string& right) {
    return message_of([&] {
      Model model = branches("cpu:0", left, right);
      model.compile(classification());
    });
  };
  const auto parts = compile("gpu:0/2", "gpu:0/2");
  check.that(parts.find("scopes must name whole GPUs, got gpu:0/2") != parts.npos, "refused: " + parts);

  const BatchNormalization shared;
  const auto x = on("cpu:0", [] { return Input({6}); });
  const auto a = on("cpu:0", [&] { return shared(x); }), b = on("gpu:0", [&] { return shared(x); });
  Model model(x, on("cpu:0", [&] { return Dense(3, {.activation = "softmax"})(Add()({a, b})); }));
  model.compile(classification());
  const auto message = message_of([&] { model.fit(normal({4, 6}, 1), one_hot(4, 3, 2), {.verbose = 0}); });
  check.that(message.find("a layer with statistics must be called on one device") != message.npos,
             "refused: " + message);
}

// Where its layers on the host were called.
struct NotesDevice : Layer {
  Tensor call(const Tensor& x, const CallContext& context) override {
    const std::lock_guard lock(mutex);
    if (context.training) calls[x.device().str() + " " + std::to_string(x.size(0))]++;
    return x;
  }
  std::mutex mutex;
  std::map<std::string, int> calls;
};

Model head_on_host(const LayerOf<NotesDevice>& maps, const LayerOf<NotesDevice>& head) {
  const auto x = Input({8, 8, 2});
  const auto y = maps(MaxPooling2D(2)(Conv2D(4, 3, {.padding = "same", .activation = "relu"})(x)));
  const DeviceScope host("cpu:0");
  auto z = Dense(8, {.activation = "relu", .kernel_regularizer = regularizers::L2(0.01)})(head(Flatten()(y)));
  z = Dropout(0.3)(BatchNormalization()(z));  // statistics of the whole batch, on any number of devices
  return Model(x, Dense(3, {.activation = "softmax", .activity_regularizer = "l2"})(z));
}

void check_host_part(Checks& check) {
  const auto maps = make_layer<NotesDevice>(), head = make_layer<NotesDevice>();
  const FitCase task{"",
                     [&] { return head_on_host(maps, head); },
                     classification(),
                     normal({22, 8, 8, 2}, 1),
                     one_hot(22, 3, 2),
                     {.batch_size = 7, .epochs = 3}};  // 7, 7, 7 and 1 row
  const auto want = fit_on(task, distribute::SingleDevice("cpu:0"));
  std::vector<Devices> lists{parts_of_first_gpu(2), parts_of_first_gpu(3)};
  if (visible_gpus() > 1) lists.push_back(Devices{"gpu:0", "gpu:1"});
  for (const auto& devices : lists) {
    maps->calls.clear();
    head->calls.clear();
    const auto different = difference(fit_on(task, mirrored(devices)), want, kTolerance);
    check.that(different.empty(), "a head on the host of " + devices.to_string() + " " + different);
    check.that(head->calls == std::map<std::string, int>{{"cpu 7", 9}, {"cpu 1", 3}}, "computes once, on the host");
    bool on_gpus = !maps->calls.empty();
    for (const auto& [place, times] : maps->calls) on_gpus = on_gpus && place.find("cpu") == place.npos;
    check.that(on_gpus, "after convolutions on the GPUs");
  }
}

int run() {
  use_gpu_or_stand_in();
  Checks check;
  check_as_placed(check);
  check_refusals(check);
  check_host_part(check);
  return check.status();
}

}  // namespace
}  // namespace tandem::testing

int main() { return tandem::testing::run(); }
