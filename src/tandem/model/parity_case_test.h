#pragma once
#include <functional>
#include <initializer_list>
#include <vector>

#include "tandem/callbacks/history.h"
#include "tandem/model/model.h"

/// What the parity suite shares: train the same task on one device and on several, and compare all that comes out.
namespace tandem::parity {

struct Task {
  std::function<Model()> build;
  CompileOptions compile;
  Tensors x, y;
  FitOptions fit;
  bool updates_in_parts = false;   // a model's own step makes several, each of some weights
  bool needs_whole_batch = false;  // a loss does, at once
};

struct Result {
  std::vector<Tensor> weights;
  History history;
  Logs evaluation;
  Tensors predictions;
};

/// What several devices are: cpu:0 ... cpu:n-1, unless a program puts others in their place (tests/device). One device
/// is always cpu:0.
using MakeDevices = Devices (*)(int64_t n);
extern MakeDevices several_devices;

/// Mirrored on n of them, with one thread each.
distribute::Strategy on_devices(int64_t n);
Result train(const Task& task, const distribute::Strategy& strategy);
Result train(const Task& task, int64_t devices);
/// Of a model that is compiled.
Result train(const Task& task, Model& model);
/// Weights, histories, evaluation and predictions are equal to 1e-5.
void expect_same(const Result& got, const Result& want);
/// Weights, histories, evaluation and predictions of `devices` equal those of one device to 1e-5; on CPUs also those
/// with parameter servers (served_parity_test.h), in pipelines (pipeline_parity_test.h), with divided layers
/// (tensor_parity_test.h) and of Zero.
void expect_parity(const Task& task, std::initializer_list<int64_t> devices = {2, 3, 4});
/// Those of all stages of Zero on two devices, in buckets of few weights, equal `one`. What they cannot hold must be
/// refused, by name.
void expect_zero_parity(const Task& task, const Result& one);

/// Made-up inputs and targets by formula of the key.
Tensor normal(const Shape& shape, uint64_t key);
Tensor one_hot(int64_t rows, int64_t classes, uint64_t key);

}  // namespace tandem::parity
