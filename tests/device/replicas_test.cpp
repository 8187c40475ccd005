// Replicas on GPUs compute there and nowhere else, exchange by the device group, keep the order of rows, and say what
// goes wrong.
#include <c10/core/impl/VirtualGuardImpl.h>

#include <mutex>
#include <set>

#include "check.h"
#include "fits.h"
#include "stand_in.h"
#include "tandem/core/device_stream.h"
#include "tandem/testing/message_of.h"

namespace tandem::testing {
namespace {

using namespace layers;

// Passes its input on and notes on which devices it came, and on which of their streams.
struct Probe : Layer {
  Tensor call(const Tensor& x, const CallContext&) override {
    const std::lock_guard lock(mutex);
    devices.insert(x.device().str());
    if (x.is_cpu()) return x;
    const c10::impl::VirtualGuardImpl guard(x.device().type());
    streams.insert({x.device().index(), guard.getStream(x.device()).id()});
    by_default |= guard.getStream(x.device()) == guard.getDefaultStream(x.device());
    return x;
  }
  std::mutex mutex;
  std::set<std::string> devices;
  std::set<std::pair<c10::DeviceIndex, c10::StreamId>> streams;
  bool by_default = false;
};

// Gradients of 4 x 4 weights and 4 biases, laid out in 16 elements each, travel by the card's own all-reduce, in which
// a rank gives its part of the others' slices and its own slice's sum to each: all n elements once, with two ranks.
void check_bytes(Checks& check) {
  Sequential model({Input({4}), Dense(4)});
  model.compile({.optimizer = "sgd", .loss = "mse", .strategy = mirrored(parts_of_first_gpu(2))});
  const auto history = model.fit(normal({12, 4}, 1), normal({12, 4}, 2), {.batch_size = 4, .verbose = 0});
  check.that(history.bytes_sent(0) == 3 * 32 * 4 && history.bytes_sent(1) == 3 * 32 * 4,
             "three exchanges of 32 gradients by the device group, got " + std::to_string(history.bytes_sent(0)));
}

void check_where(Checks& check) {
  for (const auto& devices : device_lists()) {
    const auto probe = make_layer<Probe>();
    Sequential model({Input({3}), Dense(4), probe, Dense(2)});
    model.compile({.optimizer = "sgd", .loss = "mse", .strategy = mirrored(devices)});
    model.predict(normal({7, 3}, 1));
    probe->devices.clear();  // a model is tried out on the CPU while replicas are made
    model.fit(normal({8, 3}, 1), normal({8, 2}, 2), {.batch_size = 4, .verbose = 0});
    model.evaluate(normal({8, 3}, 1), normal({8, 2}, 2), {.verbose = 0});
    model.predict(normal({7, 3}, 1));
    std::set<std::string> want;
    for (const auto& device : devices) want.insert(torch_device(device).str());
    check.that(probe->devices == want, "layers compute on " + devices.to_string() + " and nowhere else");
    check.that(static_cast<int64_t>(probe->streams.size()) == devices.size() && !probe->by_default,
               "each replica on a stream of its own");
  }
}

void check_order(Checks& check) {
  for (const auto& devices : device_lists()) {
    Sequential model({Input({1}), make_layer<Probe>()});
    model.compile({.optimizer = "sgd", .loss = "mse", .strategy = mirrored(devices)});
    bool right = true;
    for (const int64_t rows : {1, 2, 5, 9, 33}) {
      const Tensor x = at::arange(rows).to(at::kFloat).unsqueeze(1);
      right = right && at::equal(model.predict(x, {.batch_size = 4}), x) && at::equal(model.predict_on_batch(x)[0], x);
    }
    check.that(right, "predictions come in the order of the rows, on " + devices.to_string());
  }
}

// U09: ids are indexes of visible GPUs, in any order and from any first one on.
void check_ids(Checks& check) {
  const auto n = visible_gpus();
  Sequential model({Input({3}), Dense(2)});
  const auto says = [&](const std::string& message, const std::string& part) {
    check.that(message.find(part) != std::string::npos, "refused: " + message);
  };
  says(message_of([&] { multi_gpu_model(model, n + 2); }),
       std::to_string(n + 2) + " GPUs requested, " + std::to_string(n) + " visible");
  if (n < 2) return;
  const Tensor x = normal({5, 3}, 1);
  const Tensor want = model.predict(x);
  Model turned = multi_gpu_model(model, {1, 0}), second = multi_gpu_model(model, {1});
  check.that(difference(turned.predict(x), want, 1e-5).empty() &&
                 turned.placement().replicas == std::vector<std::string>{"gpu:1", "gpu:0"},
             "multi_gpu_model on GPUs 1 and 0");
  check.that(difference(second.predict(x), want, 1e-5).empty() &&
                 second.placement().replicas == std::vector<std::string>{"gpu:1"},
             "and on GPU 1 alone");
}

// U11: the first line of a training names devices and their rows.
void check_log(Checks& check) {
  std::string lines;
  const auto before = set_log_sink([&](LogLevel, const std::string& line) { lines += line + "\n"; });
  Sequential model({Input({3}), Dense(2)});
  model.compile({.optimizer = "sgd", .loss = "mse", .strategy = mirrored(parts_of_first_gpu(2))});
  model.fit(normal({64, 3}, 1), normal({64, 2}, 2), {.batch_size = 64, .verbose = 2});
  set_log_sink(before);
  check.that(lines.find("training on gpu:0/2,gpu:0/2") != lines.npos &&
                 lines.find("32 + 32 rows of each batch of 64") != lines.npos,
             "the log names devices and rows: " + lines);
}

// A failure ends the step on all replicas, and training can go on.
struct FailsOnce : Layer {
  Tensor call(const Tensor& x, const CallContext& context) override {
    if (context.training && context.first_row > 0 && fails.exchange(false)) throw DataError("no such picture");
    return x;
  }
  std::atomic<bool> fails = false;
};

void check_failure(Checks& check) {
  const auto layer = make_layer<FailsOnce>();
  Sequential model({Input({3}), Dense(8, {.activation = "relu"}), layer, Dense(2)});
  model.compile({.optimizer = "sgd", .loss = "mse", .strategy = mirrored(parts_of_first_gpu(2))});
  const Tensor x = normal({32, 3}, 1), y = normal({32, 2}, 2);
  const auto fit = [&] { return model.fit(x, y, {.batch_size = 4, .verbose = 0})["loss"][0]; };
  const double before = fit();
  layer->fails = true;
  check.that(message_of<DataError>(fit).find("no such picture") != std::string::npos, "what a replica throws is told");
  check.that(fit() < before, "and the next fit goes on");
}

// Uses a layer that is no part of the model.
struct Borrows : Layer {
  explicit Borrows(Dense layer) : outside(std::move(layer)) {}
  Tensor call(const Tensor& x, const CallContext& context) override { return outside(x, context); }
  Dense outside;
};

void check_outsider(Checks& check) {
  const Dense outside(3);
  outside->ensure_built({{Shape::kUnknown, 3}});
  outside->set_trainable(false);
  Sequential model({Input({3}), make_layer<Borrows>(outside), Dense(2)});
  model.compile({.optimizer = "sgd", .loss = "mse", .strategy = mirrored(parts_of_first_gpu(1))});
  const auto message = message_of([&] { model.fit(normal({4, 3}, 1), normal({4, 2}, 2), {.verbose = 0}); });
  check.that(message.find("must belong to a layer of the model to have a copy on") != message.npos,
             "refused: " + message);
}

std::string refusal(distribute::MirroredOptions options) {
  return message_of([&] { distribute::Mirrored{std::move(options)}; });
}

void check_refusals(Checks& check) {
  const auto two = parts_of_first_gpu(2);
  const auto says = [&](const std::string& message, const std::string& part) {
    check.that(message.find(part) != std::string::npos, "refused: " + message);
  };
  says(refusal({.devices = {"gpu:0", "cpu:0"}}), "devices must be of one kind");
  says(refusal({.devices = two, .fixed_order = 4}), "fixed_order must not be set on GPUs");
  says(refusal({.devices = two, .shares = "auto"}), "shares must be numbers on GPUs");
  says(refusal({.devices = two, .all_reduce = "ring"}), "all_reduce must be auto on GPUs");
  says(refusal({.devices = {"gpu:0", "gpu:0"}}), "gpu:0 is named 2 times");
}

int run() {
  use_gpu_or_stand_in();
  Checks check;
  check_bytes(check);
  check_where(check);
  check_order(check);
  check_ids(check);
  check_log(check);
  check_failure(check);
  check_outsider(check);
  check_refusals(check);
  return check.status();
}

}  // namespace
}  // namespace tandem::testing

int main() { return tandem::testing::run(); }
