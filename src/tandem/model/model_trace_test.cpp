// What a trace says of who computed when.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tandem/callbacks/trace.h"
#include "tandem/core/config.h"
#include "tandem/distribution/as_placed.h"
#include "tandem/distribution/single_device.h"
#include "tandem/layers/concatenate.h"
#include "tandem/layers/dense.h"
#include "tandem/layers/input.h"
#include "tandem/model/body.h"
#include "tandem/model/parity_case_test.h"
#include "tandem/testing/temporary_folder.h"

namespace tandem {
namespace {

using namespace layers;
using namespace parity;

// Two branches of `units` on cpu:0 and cpu:1, and a head on cpu:0.
Model traced_branches(int64_t units) {
  const auto x = Input({64});
  const auto branch = [&](const char* device, const std::string& name) {
    const DeviceScope scope(device);
    return Dense(units, {.activation = "tanh", .name = name + "_2"})(
        Dense(units, {.activation = "tanh", .name = name + "_1"})(x));
  };
  const auto left = branch("cpu:0", "left"), right = branch("cpu:1", "right");
  const DeviceScope scope("cpu:0");
  return Model(x, Dense(3, {.name = "head"})(Concatenate({.name = "merged"})({left, right})));
}

std::vector<TraceSpan> trace_of(Model& model, int64_t rows) {
  model.body().record_trace(true);
  model.train_on_batch(normal({rows, 64}, 1), one_hot(rows, 3, 2));
  model.body().record_trace(false);
  return model.body().trace();
}

int64_t count_spans(const std::vector<TraceSpan>& spans, const std::string& device, const std::string& layer,
                    bool backward) {
  return std::count_if(spans.begin(), spans.end(), [&](const TraceSpan& span) {
    return span.device == device && span.layer == layer && span.backward == backward && span.end >= span.start;
  });
}

TEST(ModelTrace, EachLayerOnEachReplica) {
  for (const int64_t devices : {1, 2}) {
    auto model = traced_branches(8);
    model.compile({.optimizer = "sgd", .loss = "mse", .strategy = on_devices(devices)});
    const auto spans = trace_of(model, 6);
    EXPECT_EQ(static_cast<int64_t>(spans.size()), devices * 6 * 2);
    for (int64_t d = 0; d < devices; ++d) {
      for (const char* layer : {"left_1", "left_2", "right_1", "right_2", "merged", "head"}) {
        for (const bool backward : {false, true})
          EXPECT_EQ(count_spans(spans, "cpu:" + std::to_string(d), layer, backward), 1) << layer << backward << d;
      }
    }
  }
}

TEST(ModelTrace, EachLayerOnItsDevice) {
  auto model = traced_branches(8);
  model.compile({.optimizer = "sgd", .loss = "mse"});
  const auto spans = trace_of(model, 6);
  EXPECT_EQ(spans.size(), 12U);
  for (const bool backward : {false, true}) {
    for (const char* layer : {"left_1", "left_2", "merged", "head"})
      EXPECT_EQ(count_spans(spans, "cpu:0", layer, backward), 1) << layer << backward;
    for (const char* layer : {"right_1", "right_2"})
      EXPECT_EQ(count_spans(spans, "cpu:1", layer, backward), 1) << layer << backward;
  }
  EXPECT_EQ(trace_of(model, 6).size(), 12U);  // a new record begins empty
}

// When the layers of a branch computed, forward or backward.
std::pair<double, double> time_of(const std::vector<TraceSpan>& spans, const std::string& branch, bool backward) {
  double start = 1e300, end = 0;
  for (const auto& span : spans) {
    if (span.layer.rfind(branch, 0) != 0 || span.backward != backward) continue;
    start = std::min(start, span.start);
    end = std::max(end, span.end);
  }
  return {start, end};
}

TEST(ModelTrace, BranchesOnTwoDevicesRunAtTheSameTime) {
  auto model = traced_branches(512);
  model.compile({.optimizer = "sgd", .loss = "mse", .strategy = distribute::AsPlaced(1)});
  // Each branch takes longer than the slices of time that a busy machine deals out; and there are several steps.
  for (const bool backward : {false, true}) {
    bool overlap = false;
    for (int time = 0; time < 50 && !overlap; ++time) {
      const auto spans = trace_of(model, 2048);
      const auto left = time_of(spans, "left", backward), right = time_of(spans, "right", backward);
      overlap = std::max(left.first, right.first) < std::min(left.second, right.second);
    }
    EXPECT_TRUE(overlap) << (backward ? "backward" : "forward");
  }
}

TEST(ModelTrace, TheCallbackWritesAFileOfFit) {
  const testing::TemporaryFolder folder;
  const auto path = folder.file("trace.json");
  auto model = traced_branches(4);
  model.compile({.optimizer = "sgd", .loss = "mse"});
  model.fit(normal({8, 64}, 1), one_hot(8, 3, 2),
            {.batch_size = 4, .epochs = 2, .verbose = 0, .callbacks = {callbacks::Trace(path, {.batches = 3})}});
  const auto json = Config::from_json(testing::file_bytes(path));
  EXPECT_EQ(json.at("traceEvents").as_list().size(), 2U + 3 * 12);  // names of two rows, then 6 layers there and back
}

}  // namespace
}  // namespace tandem
