// Batch norms of a module replaced by those over the rows of all ranks, which are threads here.
#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/nn/modules/activation.h>
#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>

#include "tandem/core/random.h"
#include "tandem/distribution/distributed_data_parallel.h"
#include "tandem/distribution/ranks_test.h"
#include "tandem/distribution/sync_batch_norm.h"
#include "tandem/testing/closeness.h"
#include "tandem/testing/message_of.h"
#include "tandem/testing/run_ranks.h"

namespace tandem::distribute {
namespace {

using testing::difference;
using testing::message_of;
using testing::run_ranks;

// A module within another's torch::nn::Sequential, with a torch::nn::Sequential of its own.
struct BlockImpl : torch::nn::Module {
  BlockImpl() {
    inner = register_module("inner", torch::nn::Sequential(torch::nn::Conv2d(3, 4, 2), torch::nn::BatchNorm2d(4)));
  }
  Tensor forward(const Tensor& x) { return inner->forward(x); }
  torch::nn::Sequential inner{nullptr};
};
TORCH_MODULE(Block);

struct StemImpl : torch::nn::Module {
  StemImpl() {
    body =
        register_module("body", torch::nn::Sequential(torch::nn::Conv2d(torch::nn::Conv2dOptions(2, 3, 3).bias(false)),
                                                      torch::nn::BatchNorm2d(3), torch::nn::ReLU(), Block()));
    norm = register_module("norm", SyncBatchNorm(4));
    head = register_module("head", torch::nn::Linear(4, 2));
    const c10::NoGradGuard no_grad;
    uint64_t i = 0;
    for (auto& p : parameters()) p.copy_(RandomStream(4).fold(i++).normal(Shape::of(p.sizes().vec())));
  }
  Tensor forward(const Tensor& x) { return head(norm(body->forward(x)).mean({2, 3})); }
  torch::nn::Sequential body{nullptr};
  SyncBatchNorm norm{nullptr};
  torch::nn::Linear head{nullptr};
};
TORCH_MODULE(Stem);

TEST(ConvertSyncBatchnorm, TrainsAsOneProcessDoes) {
  const Tensor x = RandomStream(1).normal({6, 2, 5, 5});
  Stem one;  // as plain batch norm, having no group
  const auto names = one->named_parameters().keys();
  one->forward(x).square().mean().backward();
  run_ranks(2, [&](comm::Communicator& ranks) {
    const auto group = group_of(ranks);
    Stem net;
    const auto before = net->parameters();
    convert_sync_batchnorm(net, group);
    EXPECT_EQ(net->named_parameters().keys(), names);
    EXPECT_EQ(net->named_buffers().keys(), one->named_buffers().keys());
    const auto after = net->parameters();
    for (std::size_t i = 0; i < before.size(); ++i) EXPECT_TRUE(before[i].is_same(after[i])) << names[i];
    DistributedDataParallel<Stem> model(net, group, {.bucket_bytes = 64});
    model(x.narrow(0, 3 * group.rank(), 3)).square().mean().backward();
    for (std::size_t i = 0; i < after.size(); ++i)
      EXPECT_EQ(difference(after[i].grad(), one->parameters()[i].grad(), 2e-5), "") << names[i];
    for (const auto& buffer : one->named_buffers())
      EXPECT_EQ(difference(net->named_buffers()[buffer.key()].to(at::kFloat), buffer.value().to(at::kFloat), 1e-5), "")
          << buffer.key();
  });
}

struct HeldImpl : torch::nn::Module {
  HeldImpl() {
    norm = register_module("norm", torch::nn::BatchNorm2d(3));
    body = register_module("body", torch::nn::Sequential(torch::nn::BatchNorm2d(3)));
  }
  Tensor forward(const Tensor& x) { return norm(x); }
  torch::nn::BatchNorm2d norm{nullptr};
  torch::nn::Sequential body{nullptr};
};
TORCH_MODULE(Held);

TEST(ConvertSyncBatchnorm, NamesWhatCannotBeReplaced) {
  run_ranks(1, [](comm::Communicator& ranks) {
    const auto group = group_of(ranks);
    Held held;
    const std::string reason =
        " cannot be replaced, since no torch::nn::Sequential holds it and a member calls its own class; declare it as "
        "distribute::SyncBatchNorm";
    EXPECT_EQ(message_of([&] { convert_sync_batchnorm(held, group); }), "convert_sync_batchnorm: 'norm'" + reason);
    EXPECT_TRUE(held->body->ptr(0)->as<torch::nn::BatchNorm2d>());  // nothing was changed
    torch::nn::Sequential outer(held);
    EXPECT_EQ(message_of([&] { convert_sync_batchnorm(outer, group); }), "convert_sync_batchnorm: '0.norm'" + reason);
    torch::nn::BatchNorm1d itself(2);
    EXPECT_EQ(message_of([&] { convert_sync_batchnorm(itself, group); }),
              "convert_sync_batchnorm: the torch::nn::BatchNorm1dImpl itself" + reason);
  });
}

}  // namespace
}  // namespace tandem::distribute
