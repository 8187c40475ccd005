// Batch normalisation with the statistics of all replicas' rows, over threads that add up among themselves.
#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/custom_function.h>

#include <barrier>
#include <numeric>
#include <thread>

#include "tandem/layers/batch_normalization.h"
#include "tandem/layers/catalog.h"
#include "tandem/layers/keras_case_test.h"
#include "tandem/testing/closeness.h"

namespace tandem::layers {
namespace {

using testing::difference;

// Adds up over threads; every one gets the same bits.
class ThreadSums {
 public:
  explicit ThreadSums(int64_t n) : meet_(n), parts_(static_cast<std::size_t>(n)) {}

  Tensor add(int64_t rank, const Tensor& part) {
    parts_[static_cast<std::size_t>(rank)] = part;
    meet_.arrive_and_wait();
    Tensor total = parts_.front().clone();
    for (std::size_t r = 1; r < parts_.size(); ++r) total.add_(parts_[r]);
    meet_.arrive_and_wait();
    return total;
  }

 private:
  std::barrier<> meet_;
  std::vector<Tensor> parts_;
};

struct SumOverThreads : torch::autograd::Function<SumOverThreads> {
  static Tensor forward(torch::autograd::AutogradContext* context, const Tensor& part, ThreadSums* sums, int64_t rank) {
    context->saved_data["sums"] = static_cast<int64_t>(reinterpret_cast<intptr_t>(sums));
    context->saved_data["rank"] = rank;
    return sums->add(rank, part);
  }
  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& gradients) {
    auto* sums = reinterpret_cast<ThreadSums*>(static_cast<intptr_t>(context->saved_data["sums"].toInt()));
    return {sums->add(context->saved_data["rank"].toInt(), gradients.front()), {}, {}};
  }
};

class ThreadSum : public ReplicaSum {
 public:
  ThreadSum(ThreadSums& sums, int64_t rank) : sums_(sums), rank_(rank) {}
  Tensor operator()(const Tensor& part) override { return SumOverThreads::apply(part, &sums_, rank_); }

 private:
  ThreadSums& sums_;
  int64_t rank_;
};

// What one replica, or one device alone, computed.
struct Share {
  Tensor out, x_gradient;
  std::vector<Tensor> weights, gradients;
};

// Trains the layer on `x` with loss sum(out * r), on weights of its own; `relu`: as the graph calls it with one behind.
Share train_on(const LayerHandle& layer, const Tensor& x, const Tensor& r, ReplicaSum* replicas, bool relu = false) {
  WeightMap map;
  Share share;
  for (const auto& w : layer.weights()) {
    const Tensor own = w.variable().value.to(x.scalar_type(), false, true).requires_grad_(w.trainable());
    map[&w.variable()] = own;
    share.weights.push_back(own);
  }
  const WeightScope scope(map);
  CallContext context;
  context.training = true;
  context.replicas = replicas;
  const Tensor rows = x.clone().requires_grad_(true);
  share.out = relu ? layer->call_with_relu(rows, context) : layer->call(rows, context);
  (share.out * r).sum().backward();
  share.x_gradient = rows.grad();
  for (const auto& w : share.weights) share.gradients.push_back(w.requires_grad() ? w.grad() : Tensor());
  return share;
}

std::vector<Share> train_divided(const LayerHandle& layer, const Tensor& x, const Tensor& r,
                                 const std::vector<int64_t>& rows, bool relu = false) {
  ThreadSums sums(static_cast<int64_t>(rows.size()));
  std::vector<Share> shares(rows.size());
  std::vector<std::jthread> threads;
  for (std::size_t i = 0, first = 0; i < rows.size(); first += static_cast<std::size_t>(rows[i++])) {
    threads.emplace_back([&, i, first] {
      ThreadSum sum(sums, static_cast<int64_t>(i));
      const auto part = [&](const Tensor& t) { return t.narrow(0, static_cast<int64_t>(first), rows[i]); };
      shares[i] = train_on(layer, part(x), part(r), &sum, relu);
    });
  }
  threads.clear();  // joins
  return shares;
}

Tensor values(const Shape& shape, int64_t key) { return RandomStream(key).normal(shape).to(at::kDouble) * 2 + 0.5; }

void expect_as_one_device(const LayerHandle& layer, const Tensor& x, const std::vector<int64_t>& rows,
                          bool relu = false) {
  layer->ensure_built({Shape::of(x.sizes().vec())});
  for (const auto& w : layer.weights()) w.assign(values(w.shape(), 7).abs().to(at::kFloat));
  const Tensor r = values(Shape::of(x.sizes().vec()), 8);
  const Share one = train_on(layer, x, r, nullptr, relu);
  const auto shares = train_divided(layer, x, r, rows, relu);
  std::vector<Tensor> outs, gradients;
  for (const auto& share : shares) {
    outs.push_back(share.out);
    gradients.push_back(share.x_gradient);
    for (std::size_t i = 0; i < one.weights.size(); ++i) {
      if (one.weights[i].requires_grad()) continue;
      EXPECT_EQ(difference(share.weights[i], one.weights[i], 1e-12), "") << layer.weights()[i].name();
      EXPECT_TRUE(at::equal(share.weights[i], shares.front().weights[i])) << "the same bits on all replicas";
    }
  }
  EXPECT_EQ(difference(at::cat(outs), one.out, 1e-11), "");
  EXPECT_EQ(difference(at::cat(gradients), one.x_gradient, 1e-11), "");
  for (std::size_t i = 0; i < one.weights.size(); ++i) {
    if (!one.weights[i].requires_grad()) continue;
    Tensor sum = at::zeros_like(one.gradients[i]);
    for (const auto& share : shares) sum += share.gradients[i];
    EXPECT_EQ(difference(sum, one.gradients[i], 1e-11), "") << layer.weights()[i].name();
  }
}

TEST(SynchronizedBatchNorm, EqualsOneDeviceWithTheWholeBatch) {
  const Tensor images = values({7, 3, 2, 4}, 1);
  expect_as_one_device(BatchNormalization({.synchronized = true}), images, {3, 4});
  expect_as_one_device(BatchNormalization({.synchronized = true}), images, {5, 1, 1});
  expect_as_one_device(BatchNormalization({.momentum = 0.3, .epsilon = 0.1, .synchronized = true}), images, {7});
  expect_as_one_device(BatchNormalization({.axis = 1, .synchronized = true}), images, {2, 5});
  expect_as_one_device(BatchNormalization({.center = false, .synchronized = true}), values({6, 5}, 2), {1, 2, 3});
  expect_as_one_device(BatchNormalization({.scale = false, .synchronized = true}), values({4, 2, 3}, 3), {1, 3});
}

TEST(SynchronizedBatchNorm, WithAReluBehindIt) {
  expect_as_one_device(BatchNormalization({.synchronized = true}), values({7, 3, 2, 4}, 1), {3, 4}, /*relu=*/true);
}

TEST(SynchronizedBatchNorm, UnevenRowsCountByRows) {  // U66
  const BatchNormalization layer({.momentum = 0, .synchronized = true});
  layer->ensure_built({{-1, 1}});
  const Tensor x = at::tensor({0.0F, 0.0F, 0.0F, 4.0F}).view({4, 1});
  for (const auto& share : train_divided(layer, x, at::ones_like(x), {3, 1})) {
    EXPECT_EQ(share.weights[2].item<float>(), 1) << "mean";
    EXPECT_EQ(share.weights[3].item<float>(), 3) << "variance";
  }
}

// A sum that nobody else would come to.
struct NobodyComes : ReplicaSum {
  Tensor operator()(const Tensor&) override { throw std::logic_error("a collective in inference"); }
};

TEST(SynchronizedBatchNorm, InferenceAsksNobody) {  // U66
  NobodyComes nobody;
  CallContext context;
  context.replicas = &nobody;
  const BatchNormalization layer({.synchronized = true});
  const Tensor x = at::ones({2, 2, 2, 3});
  layer->ensure_built({{-1, 2, 2, 3}});
  EXPECT_NO_THROW(layer->call(x, context));
  EXPECT_NO_THROW(layer->call_with_relu(x, context));
  context.training = true;
  layer->set_trainable(false);
  EXPECT_NO_THROW(layer->call(x, context)) << "frozen: the moving statistics";
  layer->set_trainable(true);
  EXPECT_THROW(layer->call(x, context), std::logic_error);
  EXPECT_THROW(layer->call_with_relu(x, context), std::logic_error);
}

// Keras's own case, whose file says synchronized: one device is the whole batch.
TEST(SynchronizedBatchNorm, AloneItIsKerass) {
  const testing::KerasCase keras("batch_norm_rank4");
  Config config = keras.about.at("config");
  config.set("synchronized", true);
  const LayerHandle layer = layer_from_config("BatchNormalization", config);
  EXPECT_TRUE(layer->get_config().at("synchronized").as_bool());
  set_up(layer, keras);
  for (const auto& w : layer.weights()) EXPECT_EQ(w.variable().of_whole_batch, !w.trainable()) << w.name();
  CallContext context;
  context.training = true;
  testing::expect_close(layer(keras.load("train_x0"), context), keras.load("train_output0"), 1e-5, "first batch");
  testing::expect_close(layer(keras.load("train_x1"), context), keras.load("train_output1"), 1e-5, "second batch");
  const auto weights = layer->weights();
  for (std::size_t i = 0; i < weights.size(); ++i) {
    testing::expect_close(weights[i].value(), keras.load("after_weight" + std::to_string(i)), 1e-5, weights[i].name());
  }
}

}  // namespace
}  // namespace tandem::layers
