// Losses, metrics and optimizers give on a GPU the numbers that they give on the CPU.
#include <ATen/ATen.h>

#include "check.h"
#include "stand_in.h"
#include "tandem/core/device_stream.h"
#include "tandem/light.h"
#include "tandem/testing/closeness.h"

namespace tandem::testing {
namespace {

constexpr double kTolerance = 1e-5;

bool is_sparse(const std::string& name) { return name.find("parse") != std::string::npos; }

struct Rows {
  Tensor truth, prediction, weights;
};

// 6 rows of 4 classes; probabilities that add up to one.
Rows make_rows(bool sparse) {
  const Tensor ids = at::arange(6).remainder(4);
  const Tensor prediction = RandomStream(1).uniform({6, 4}).add_(0.05);
  return {sparse ? ids : at::eye(4).index_select(0, ids), prediction / prediction.sum(1, true),
          at::arange(1, 7).to(at::kFloat)};
}

Rows on(const Rows& rows, const c10::Device& device) {
  return {rows.truth.to(device), rows.prediction.detach().to(device, false, /*copy=*/true).set_requires_grad(true),
          rows.weights.to(device)};
}

std::string compare_loss(const std::string& name, const c10::Device& device) {
  const auto loss = Loss::make(name);
  const auto values = [&](const c10::Device& where) {
    const auto rows = on(make_rows(is_sparse(name)), where);
    const Tensor value = loss->call(rows.truth, rows.prediction);
    (value * rows.weights).sum().backward();
    Tensor behind;
    if (loss->prefers_logits()) behind = loss->call_with_logits(rows.truth, rows.prediction.detach().log()).detach();
    return std::vector<Tensor>{value.detach(), rows.prediction.grad(), behind};
  };
  const auto there = values(device), here = values(at::kCPU);
  for (std::size_t i = 0; i < here.size(); ++i) {
    if (!here[i].defined()) continue;
    if (there[i].device() != device) return "is on " + there[i].device().str();
    if (auto different = difference(there[i].cpu(), here[i], kTolerance); !different.empty()) return different;
  }
  return "";
}

std::string compare_metric(const std::string& name, const c10::Device& device) {
  const auto result = [&](const c10::Device& where) {
    const auto metric = Metric::make(name, Config::object());
    const auto rows = on(make_rows(is_sparse(name)), where);
    metric->update(rows.truth, rows.prediction.detach(), {});
    metric->update(rows.truth, rows.prediction.detach(), rows.weights);
    return metric->result();
  };
  const double there = result(device), here = result(at::kCPU);
  return std::abs(there - here) <= kTolerance * (1 + std::abs(here))
             ? ""
             : std::to_string(there) + " for " + std::to_string(here);
}

std::string compare_optimizer(const std::string& name, const Config& config, const c10::Device& device) {
  const auto optimizer = Optimizer::make(name, config);
  const auto updated = [&](const c10::Device& where) {
    Tensor parameter = RandomStream(2).normal({50}).to(where);
    std::vector<Tensor> slots;
    for (std::size_t i = 0; i < optimizer->slots().size(); ++i)
      slots.push_back(at::full_like(parameter, optimizer->initial_slot(i)));
    const FlatPlace places[] = {{0, 20}, {32, 18}};
    for (int64_t step = 0; step < 4; ++step) {
      Tensor gradient = RandomStream(3).fold(static_cast<uint64_t>(step)).normal({50});
      gradient.slice(0, 20, 32).zero_();
      gradient = gradient.to(where);
      if (optimizer->clips()) optimizer->clip(gradient, places);
      optimizer->update(parameter, gradient, slots, step, optimizer->learning_rate(step));
    }
    slots.push_back(parameter);
    return slots;
  };
  const auto there = updated(device), here = updated(at::kCPU);
  for (std::size_t i = 0; i < here.size(); ++i) {
    if (auto different = difference(there[i].cpu(), here[i], kTolerance); !different.empty()) return different;
  }
  return "";
}

int run() {
  use_gpu_or_stand_in();
  Checks check;
  const auto device = torch_device(Device("gpu:0"));
  const DeviceStream stream(device);
  const StreamScope scope(stream);
  const auto expect = [&](const std::string& what, const std::string& different) {
    check.that(different.empty(), what + (different.empty() ? "" : ": " + different));
  };
  for (const auto& name : Loss::names()) expect("loss " + name, compare_loss(name, device));
  for (const char* name : {"Accuracy",
                           "BinaryAccuracy",
                           "CategoricalAccuracy",
                           "SparseCategoricalAccuracy",
                           "TopKCategoricalAccuracy",
                           "SparseTopKCategoricalAccuracy",
                           "MeanSquaredError",
                           "RootMeanSquaredError",
                           "MeanAbsoluteError",
                           "MeanAbsolutePercentageError",
                           "MeanSquaredLogarithmicError",
                           "CosineSimilarity",
                           "LogCoshError",
                           "Hinge",
                           "SquaredHinge",
                           "CategoricalHinge",
                           "BinaryCrossentropy",
                           "CategoricalCrossentropy",
                           "SparseCategoricalCrossentropy",
                           "KLDivergence",
                           "Poisson"})
    expect(std::string("metric ") + name, compare_metric(name, device));
  for (const char* name : {"sgd", "rmsprop", "adam", "adamw", "adadelta", "adagrad", "adamax", "lion"})
    expect(std::string("optimizer ") + name, compare_optimizer(name, Config::object(), device));
  expect("SGD with momentum",
         compare_optimizer("sgd", Config::object({{"momentum", 0.9}, {"nesterov", true}}), device));
  expect("RMSprop, centred",
         compare_optimizer("rmsprop", Config::object({{"momentum", 0.5}, {"centered", true}}), device));
  expect("AMSGrad", compare_optimizer("adam", Config::object({{"amsgrad", true}}), device));
  for (const char* clip : {"clipnorm", "clipvalue", "global_clipnorm"})
    expect(std::string("SGD with ") + clip, compare_optimizer("sgd", Config::object({{clip, 0.5}}), device));
  return check.status();
}

}  // namespace
}  // namespace tandem::testing

int main() { return tandem::testing::run(); }
