#include "tandem/network/divided_graph.h"

#include <c10/util/StringUtil.h>
#include <gtest/gtest.h>

#include "tandem/layers/activation.h"
#include "tandem/layers/add.h"
#include "tandem/layers/batch_normalization.h"
#include "tandem/layers/dense.h"
#include "tandem/layers/input.h"
#include "tandem/network/scoped_devices.h"

namespace tandem {
namespace {

using namespace layers;

std::size_t by_index(const std::optional<Device>& device) {
  return device ? static_cast<std::size_t>(device->index) : 0;
}

KerasTensor placed_dense(const char* device, const char* name, const KerasTensor& x) {
  const DeviceScope scope(device);
  return Dense(3, {.name = name})(x);
}

// "0:stem+left 1:right": places and layers.
std::string text(const DividedGraph& divided) {
  std::string out;
  for (const auto& segment : divided.segments) {
    out += c10::str(out.empty() ? "" : " ", segment.place, ":");
    for (std::size_t i = 0; i < segment.steps.size(); ++i)
      out += c10::str(i ? "+" : "", segment.steps[i].layer->name());
  }
  return out;
}

TEST(DividedGraph, ABranchElsewhereWaitsForTheStemOnly) {
  const auto x = Input({4});
  const auto stem = placed_dense("cpu:0", "stem", x);
  const auto left = placed_dense("cpu:0", "left2", placed_dense("cpu:0", "left", stem));
  const auto right = placed_dense("cpu:1", "right", stem);
  const DeviceScope scope("cpu:0");
  const Graph graph(x, Dense(1, {.name = "head"})(Add({.name = "add"})({left, right})));
  const auto divided = divide_graph(graph, by_index);
  EXPECT_EQ(text(divided), "0:stem 1:right 0:left+left2 0:add+head");
  EXPECT_EQ(divided.segments[1].after, (std::vector<std::size_t>{0}));
  EXPECT_EQ(divided.segments[2].after, (std::vector<std::size_t>{0}));
  EXPECT_EQ(divided.segments[3].after, (std::vector<std::size_t>{1, 2}));
}

TEST(DividedGraph, WithoutAnotherDeviceThereIsOneSegment) {
  const auto x = Input({4});
  const Graph graph(x, placed_dense("cpu:0", "b", placed_dense("cpu:0", "a", x)));
  EXPECT_EQ(text(divide_graph(graph, by_index)), "0:a+b");
}

TEST(DividedGraph, BackAndForthAndAFuseThatIsNotMade) {
  const auto x = Input({4});
  const auto a = placed_dense("cpu:0", "a", x);
  const auto b = placed_dense("cpu:1", "b", a);
  const auto c = placed_dense("cpu:0", "c", b);
  const DeviceScope scope("cpu:1");
  const Graph graph(x, Activation("relu", {.name = "relu"})(c));
  EXPECT_EQ(text(divide_graph(graph, by_index)), "0:a 1:b 0:c 1:relu");
}

TEST(DividedGraph, CallsThatChangeStatisticsComeInTheGraphsOrder) {
  const auto a = Input({3}), b = Input({3});
  const BatchNormalization norm({.name = "norm"});
  KerasTensor first, second;
  {
    const DeviceScope scope("cpu:0");
    first = norm(a);
  }
  {
    const DeviceScope scope("cpu:1");
    second = norm(b);
  }
  const DeviceScope scope("cpu:0");
  const Graph graph({a, b}, Add({.name = "add"})({first, second}));
  const auto divided = divide_graph(graph, by_index);
  EXPECT_EQ(text(divided), "0:norm 1:norm 0:add");
  EXPECT_EQ(divided.segments[1].after, (std::vector<std::size_t>{0}));
}

TEST(ScopedDevices, OfAGraphAndAModelWithin) {
  const auto x = Input({4});
  const auto inner = std::make_shared<Graph>(x, placed_dense("cpu:2", "a", x));
  inner->set_name("inner");
  const auto y = Input({4});
  const auto within = LayerHandle(inner)(y);  // keeps its own scope: there is none around its call
  KerasTensor moved;
  {
    const DeviceScope scope("cpu:3");
    moved = LayerHandle(inner)(y);  // goes where it is called: one scope covers all of it
  }
  const Graph graph(y, Dense(1, {.name = "head"})(Add({.name = "add"})({within, moved})));
  EXPECT_EQ(scoped_devices(graph), (std::vector<std::optional<Device>>{Device("cpu:2"), Device("cpu:3"), {}}));
}

}  // namespace
}  // namespace tandem
