#pragma once
#include <ATen/ATen.h>

#include <functional>
#include <string>

#include "tandem/light.h"
#include "tandem/testing/closeness.h"

namespace tandem::testing {

/// What is trained, to be trained again elsewhere.
struct FitCase {
  std::string name;
  std::function<Model()> build;
  CompileOptions compile;
  Tensors x, y;
  FitOptions fit;
  bool by_replica = false;  // the numbers depend on how many replicas there are (local batch statistics)
};

struct FitResult {
  std::vector<Tensor> weights;
  History history;
  Logs evaluation;
  Tensors predictions;
  Placement placement;
};

inline FitResult fit_on(const FitCase& what, const distribute::Strategy& strategy) {
  set_random_seed(11);
  Model model = what.build();
  auto compile = what.compile;
  compile.strategy = strategy;
  model.compile(compile);
  auto options = what.fit;
  options.verbose = 0;
  FitResult result;
  result.history = model.fit(what.x, what.y, options);
  result.weights = model.get_weights();
  result.evaluation = model.evaluate(what.x, what.y, {.batch_size = options.batch_size, .verbose = 0});
  result.predictions = model.predict_all(what.x, {.batch_size = options.batch_size});
  result.placement = model.placement();
  return result;
}

/// Where the two differ by more than `tolerance`; empty: nowhere.
inline std::string difference(const FitResult& got, const FitResult& want, double tolerance) {
  const auto differ = [&](const std::string& what, const Tensor& a, const Tensor& b) {
    const auto where = a.is_cpu() ? difference(a, b, tolerance) : "is on " + a.device().str();
    return where.empty() ? "" : what + ": " + where;
  };
  for (std::size_t i = 0; i < want.weights.size(); ++i) {
    const auto where = differ("weight " + std::to_string(i), got.weights[i], want.weights[i]);
    if (!where.empty()) return where;
  }
  for (const auto& [name, values] : want.history.series()) {
    const auto where = differ(name, at::tensor(got.history[name]), at::tensor(values));
    if (!where.empty()) return where;
  }
  for (const auto& [name, value] : want.evaluation) {
    const auto where = differ("evaluated " + name, at::tensor(got.evaluation[name]), at::tensor(value));
    if (!where.empty()) return where;
  }
  for (int64_t i = 0; i < want.predictions.size(); ++i) {
    const auto where = differ("output " + std::to_string(i), got.predictions[i], want.predictions[i]);
    if (!where.empty()) return where;
  }
  return "";
}

inline Tensor normal(const Shape& shape, uint64_t key) { return RandomStream(key).normal(shape); }
inline Tensor one_hot(int64_t rows, int64_t classes, uint64_t key) {
  const Tensor ids = (RandomStream(key).uniform({rows}) * static_cast<double>(classes)).to(at::kLong);
  return at::one_hot(ids, classes).to(at::kFloat);
}

/// "gpu:0/2,gpu:0/2" for 2.
inline Devices parts_of_first_gpu(int64_t n) {
  const auto part = n == 1 ? std::string("gpu:0") : "gpu:0/" + std::to_string(n);
  return Devices::of(std::vector<Device>(static_cast<std::size_t>(n), Device(part)));
}

/// One GPU, parts of one, and where there are several those and parts of them.
inline std::vector<Devices> device_lists() {
  std::vector<Devices> lists{parts_of_first_gpu(1), parts_of_first_gpu(2), parts_of_first_gpu(3)};
  if (visible_gpus() > 1) {
    lists.push_back(Devices{"gpu:0", "gpu:1"});
    lists.push_back(Devices{"gpu:1"});
    lists.push_back(Devices{"gpu:1/2", "gpu:0/2", "gpu:1/2", "gpu:0/2"});
  }
  return lists;
}

inline distribute::Strategy mirrored(const Devices& devices) {
  if (devices.size() == 1) return distribute::SingleDevice(devices[0]);
  return distribute::Mirrored({.devices = devices});
}

}  // namespace tandem::testing
