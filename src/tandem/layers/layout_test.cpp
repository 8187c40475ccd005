// Channels-last memory is never copied to another layout: counts the copies that a network's forward and backward pass
// make, in LibTorch (every operator call is seen by a callback) and inside oneDNN (whose own log is read).
#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <ATen/record_function.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tandem/layers/activation.h"
#include "tandem/layers/add.h"
#include "tandem/layers/average_pooling1d.h"
#include "tandem/layers/average_pooling2d.h"
#include "tandem/layers/average_pooling3d.h"
#include "tandem/layers/batch_normalization.h"
#include "tandem/layers/concatenate.h"
#include "tandem/layers/conv1d.h"
#include "tandem/layers/conv1d_transpose.h"
#include "tandem/layers/conv2d.h"
#include "tandem/layers/conv2d_transpose.h"
#include "tandem/layers/conv3d.h"
#include "tandem/layers/conv3d_transpose.h"
#include "tandem/layers/dense.h"
#include "tandem/layers/depthwise_conv1d.h"
#include "tandem/layers/depthwise_conv2d.h"
#include "tandem/layers/dropout.h"
#include "tandem/layers/flatten.h"
#include "tandem/layers/global_average_pooling2d.h"
#include "tandem/layers/group_normalization.h"
#include "tandem/layers/layer_normalization.h"
#include "tandem/layers/leaky_relu.h"
#include "tandem/layers/max_pooling1d.h"
#include "tandem/layers/max_pooling2d.h"
#include "tandem/layers/max_pooling3d.h"
#include "tandem/layers/maximum.h"
#include "tandem/layers/multiply.h"
#include "tandem/layers/relu.h"
#include "tandem/layers/rescaling.h"
#include "tandem/layers/reshape.h"
#include "tandem/layers/rms_normalization.h"
#include "tandem/layers/separable_conv1d.h"
#include "tandem/layers/separable_conv2d.h"
#include "tandem/layers/softmax.h"
#include "tandem/layers/up_sampling2d.h"

namespace tandem::layers {
namespace {

/// Sees every operator that this thread calls while it is alive and keeps those that copied `least` elements or more.
class CopyCounter {
 public:
  explicit CopyCounter(int64_t least) {
    counting_least = least;
    copies.clear();
    handle_ = at::addThreadLocalCallback(
        at::RecordFunctionCallback(&on_start, &on_end).needsOutputs(true).scopes({at::RecordScope::FUNCTION}));
  }
  ~CopyCounter() { at::removeCallback(handle_); }
  CopyCounter(const CopyCounter&) = delete;
  CopyCounter& operator=(const CopyCounter&) = delete;

  static const std::vector<std::string>& found() { return copies; }

 private:
  static std::unique_ptr<at::ObserverContext> on_start(const at::RecordFunction&) { return nullptr; }

  static void on_end(const at::RecordFunction& call, at::ObserverContext*) {
    static const std::set<std::string> kCopying = {"aten::copy_", "aten::clone", "aten::_to_copy",
                                                   "aten::constant_pad_nd"};
    if (!kCopying.count(call.name())) return;
    for (const auto& output : call.outputs()) {
      if (!output.isTensor() || output.toTensor().numel() < counting_least) continue;
      copies.push_back(std::string(call.name()) + " " + c10::str(output.toTensor().sizes()));
    }
  }

  static thread_local int64_t counting_least;
  static thread_local std::vector<std::string> copies;
  at::CallbackHandle handle_;
};

thread_local int64_t CopyCounter::counting_least = 0;
thread_local std::vector<std::string> CopyCounter::copies;

/// Layers as ResNets and GoogLeNets stack them: convolutions of 3 x 3 and 1 x 1 with steps 1 and 2, batch norm, ReLU,
/// pooling of both kinds, a branch that is added and one that is concatenated.
struct Network {
  Conv2D stem{16, {3, 3}, {.padding = "same"}}, same{16, {3, 3}, {.padding = "same", .use_bias = false}};
  Conv2D narrow{24, {1, 1}}, down{24, {3, 3}, {.strides = 2}}, down1{24, {3, 3}, {.strides = 2, .activation = "relu"}};
  BatchNormalization norm_stem, norm_same, norm_narrow, norm_down;
  Activation relu{"relu"};
  Dense head{10, {.activation = "softmax"}};

  Tensor operator()(const Tensor& x, const CallContext& context) const {
    const Tensor a = relu(norm_stem(stem(x, context), context), context);
    const Tensor b = relu(Add()({a, norm_same(same(a, context), context)}, context), context);
    const Tensor c = relu(norm_narrow(narrow(b, context), context), context);
    const Tensor d = MaxPooling2D(3, {.strides = 2, .padding = "same"})(Concatenate()({b, c}, context), context);
    const Tensor e = relu(norm_down(down(d, context), context), context);
    const Tensor f = down1(d, context);
    const Tensor g = AveragePooling2D(2, {.padding = "same"})(Concatenate()({e, f}, context), context);
    for (const auto& t : {a, b, c, d, e, f, g}) EXPECT_TRUE(t.is_contiguous());
    const Tensor pooled = GlobalAveragePooling2D()(g, context);
    return head(Dropout(0.5)(Flatten()(pooled, context), context), context);
  }

  std::vector<LayerHandle> layers() const {
    return {stem, same, narrow, down, down1, norm_stem, norm_same, norm_narrow, norm_down, head};
  }
};

/// The layers that a network of another kind adds: depthwise and separable convolutions, and transposed ones that
/// double the size.
struct Decoder {
  DepthwiseConv2D depthwise{3, {.padding = "same", .depth_multiplier = 2}}, depthwise_down{3, {.strides = 2}};
  SeparableConv2D separable{24, 3, {.padding = "same"}}, separable_down{24, 3, {.strides = 2, .activation = "relu"}};
  Conv2DTranspose up{24, 2, {.strides = 2, .padding = "same"}}, up4{8, 4, {.strides = 2, .padding = "same"}};
  Conv2DTranspose even{16, 3, {.padding = "same"}};

  Tensor operator()(const Tensor& x, const CallContext& context) const {
    const Tensor a = depthwise(x, context), b = depthwise_down(a, context), c = separable(b, context);
    const Tensor d = separable_down(c, context), e = up(d, context), f = up4(e, context), g = even(f, context);
    for (const auto& t : {a, b, c, d, e, f, g}) EXPECT_TRUE(t.is_contiguous());
    return g;
  }

  std::vector<LayerHandle> layers() const {
    return {depthwise, depthwise_down, separable, separable_down, up, up4, even};
  }
};

CallContext training() {
  CallContext context;
  context.training = true;
  context.random = RandomStream(1);
  return context;
}

/// Builds the network, lets its weights ask for gradients, and returns it warm.
template <class N = Network>
N warm_network(const Tensor& x) {
  N network;
  network(x, training());
  for (const auto& layer : network.layers()) {
    for (const auto& w : layer.weights()) {
      if (w.trainable()) w.variable().value.requires_grad_(true);
    }
  }
  return network;
}

constexpr int64_t kRows = 8, kSide = 32;
// The smallest image of the network that a layer's input or output is: more than the largest weight has (40 * 3 * 3 *
// 24).
constexpr int64_t kActivation = kRows * 7 * 7 * 24;

TEST(Layout, NothingIsCopiedOnOneThread) {  // where LibTorch has other algorithms, as in each of many replicas
  const int threads = at::get_num_threads();
  at::set_num_threads(1);
  const Tensor x = at::randn({kRows, kSide, kSide, 3});
  const Network network = warm_network(x);
  const CopyCounter counter(kActivation);
  network(x, training()).square().sum().backward();
  EXPECT_EQ(counter.found(), std::vector<std::string>{});
  at::set_num_threads(threads);
}

/// Each weight's gradient lies in memory as the weight does.
template <class N>
void expect_gradients_in_place(const N& network) {
  for (const auto& layer : network.layers()) {
    for (const auto& w : layer.weights()) {
      if (!w.trainable()) continue;
      ASSERT_TRUE(w.value().grad().defined());
      for (int64_t axis = 0; axis < w.shape().rank(); ++axis) {
        if (w.shape()[axis] == 1) continue;  // its stride means nothing
        EXPECT_EQ(w.value().grad().stride(axis), w.value().stride(axis)) << layer.name() << " " << w.name();
      }
    }
  }
}

TEST(Layout, NothingIsCopiedForwardAndBackward) {
  const Tensor x = at::randn({kRows, kSide, kSide, 3});
  const Network network = warm_network(x);
  const CopyCounter counter(kActivation);
  network(x, training()).square().sum().backward();
  EXPECT_EQ(counter.found(), std::vector<std::string>{});
  expect_gradients_in_place(network);
}

TEST(Layout, NothingIsCopiedInADecoder) {
  const Tensor x = at::randn({kRows, kSide, kSide, 12});
  const int threads = at::get_num_threads();
  for (const int n : {1, threads}) {
    at::set_num_threads(n);
    const Decoder decoder = warm_network<Decoder>(x);
    const CopyCounter counter(kActivation);
    decoder(x, training()).abs().sum().backward();
    EXPECT_EQ(counter.found(), std::vector<std::string>{}) << n << " threads";
    expect_gradients_in_place(decoder);
  }
  at::set_num_threads(threads);
}

TEST(Layout, LayersOfOneImageCopyNothing) {
  const std::vector<LayerHandle> layers = {ReLU(),
                                           ReLU({.max_value = 1}),
                                           LeakyReLU(),
                                           LayerNormalization(),
                                           LayerNormalization({.axis = {1, 2, 3}}),
                                           Softmax(),
                                           Rescaling({1, 2, 3, 4}),
                                           Reshape({-1, 4}),
                                           UpSampling2D(2),
                                           UpSampling2D(2, {.interpolation = "bilinear"})};
  for (const auto& layer : layers) {
    const Tensor x = at::randn({kRows, 14, 14, 4}).requires_grad_(true);
    layer(x);
    const CopyCounter counter(kRows * 14 * 14 * 4);
    const Tensor out = layer(x);
    EXPECT_TRUE(out.is_contiguous()) << layer->class_name();
    out.backward(at::ones_like(out));
    EXPECT_EQ(counter.found(), std::vector<std::string>{}) << layer->class_name();
  }
  for (const LayerHandle& layer : std::vector<LayerHandle>{Multiply(), Maximum()}) {
    const Tensor x = at::randn({kRows, 14, 14, 4}).requires_grad_(true), y = at::randn_like(x).requires_grad_(true);
    const CopyCounter counter(kRows * 14 * 14 * 4);
    const Tensor out = layer({x, y});
    EXPECT_TRUE(out.is_contiguous()) << layer->class_name();
    out.backward(at::ones_like(out));
    EXPECT_EQ(counter.found(), std::vector<std::string>{}) << layer->class_name();
  }
}

/// Convolutions and pooling over one and over three axes, as the two of images.
TEST(Layout, NothingIsCopiedOverOneAndThreeAxes) {
  struct Case {
    Shape shape;
    std::vector<LayerHandle> layers;
  };
  const std::vector<Case> cases = {
      {{kRows, 400, 12},
       {Conv1D(12, 3, {.padding = "same"}), Conv1D(12, 1), MaxPooling1D(2), AveragePooling1D(3, {.padding = "same"}),
        Conv1DTranspose(12, 2, {.strides = 2}), DepthwiseConv1D(3, {.padding = "same"}),
        SeparableConv1D(12, 3, {.padding = "same"}), GroupNormalization({.groups = 3}), RMSNormalization()}},
      {{kRows, 8, 8, 8, 12},
       {Conv3D(12, 3, {.padding = "same"}), Conv3D(12, 1), MaxPooling3D(2), AveragePooling3D(2),
        Conv3DTranspose(12, 2, {.strides = 2}), GroupNormalization({.groups = 3})}}};
  for (const auto& [shape, layers] : cases) {
    for (const auto& layer : layers) {
      const Tensor x = at::randn(shape.sizes()).requires_grad_(true);
      layer(x, training());
      for (const auto& w : layer.weights()) w.variable().value.requires_grad_(true);
      const CopyCounter counter(kRows * 100 * 12);
      const Tensor out = layer(x, training());
      EXPECT_TRUE(out.is_contiguous()) << layer->class_name();
      out.backward(at::ones_like(out));
      EXPECT_EQ(counter.found(), std::vector<std::string>{}) << layer->class_name();
    }
  }
}

TEST(Layout, TheCounterSeesACopy) {
  // The same convolution on an image that is not channels-last in memory.
  Conv2D layer(16, 3);
  const Tensor x = at::randn({kRows, 3, kSide, kSide}).permute({0, 2, 3, 1});
  layer(x);
  const CopyCounter counter(kActivation);
  layer(x);
  EXPECT_FALSE(counter.found().empty());
}

/// Elements in a size as oneDNN's log writes it, "24x40x3x3"; 0 when `field` is something else.
int64_t logged_elements(const std::string& field) {
  if (field.find('x') == std::string::npos || field.find_first_not_of("0123456789x") != std::string::npos) return 0;
  int64_t product = 1;
  std::istringstream sizes(field);
  for (std::string size; std::getline(sizes, size, 'x');) product *= std::stoll(size);
  return product;
}

TEST(Layout, OneDnnReordersNoActivations) {
  // The first test once more in a process whose oneDNN logs each primitive: weights are put into blocks, images must
  // not be.
  const std::string self = std::filesystem::read_symlink("/proc/self/exe");
  const std::string command =
      "ONEDNN_VERBOSE=profile_exec '" + self + "' --gtest_filter=Layout.NothingIsCopiedForwardAndBackward";
  std::FILE* log = popen(command.c_str(), "r");
  ASSERT_NE(log, nullptr);
  std::set<std::string> passes;
  std::vector<char> buffer(1 << 16);
  while (std::fgets(buffer.data(), static_cast<int>(buffer.size()), log)) {
    const std::string line(buffer.data());
    if (!line.starts_with("onednn_verbose")) continue;
    for (const char* pass : {"forward_training", "backward_data", "backward_weights"}) {
      if (line.find(",convolution,") != std::string::npos && line.find(pass) != std::string::npos) passes.insert(pass);
    }
    if (line.find(",reorder,") == std::string::npos) continue;
    std::istringstream fields(line);
    for (std::string field; std::getline(fields, field, ',');) EXPECT_LT(logged_elements(field), kActivation) << line;
  }
  EXPECT_EQ(pclose(log), 0);
  EXPECT_EQ(passes.size(), 3U) << "the log must hold convolutions, forward and backward";
}

}  // namespace
}  // namespace tandem::layers
