// Modules trained by ranks that speak as processes do, here as threads: over c10d's Gloo, which matches calls by their
// order alone, through shared memory, and through both. The numbers are those of ranks of one process.
#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/linear.h>
#include <torch/optim/sgd.h>

#include <type_traits>

#include "tandem/comm/backend_processes.h"
#include "tandem/comm/gloo_backend.h"
#include "tandem/comm/hosts_processes.h"
#include "tandem/comm/meeting_point.h"
#include "tandem/comm/meeting_store.h"
#include "tandem/comm/shared_processes.h"
#include "tandem/core/random.h"
#include "tandem/distribution/check_receipt.h"
#include "tandem/distribution/check_shards.h"
#include "tandem/distribution/distributed_data_parallel.h"
#include "tandem/distribution/ranks_test.h"
#include "tandem/distribution/sync_batch_norm.h"
#include "tandem/testing/captured_log.h"
#include "tandem/testing/closeness.h"
#include "tandem/testing/message_of.h"
#include "tandem/testing/on_threads.h"
#include "tandem/testing/run_ranks.h"

namespace tandem::distribute {
namespace {

using testing::difference;
using testing::message_of;
using testing::run_ranks;

enum class Way { gloo, shared_memory, two_hosts };

std::shared_ptr<comm::Processes> join(Way way, int64_t rank, int64_t ranks, int64_t port) {
  constexpr double kLimit = 20;
  const auto limit = std::chrono::milliseconds(static_cast<int64_t>(1000 * kLimit));
  auto store = c10::make_intrusive<comm::MeetingStore>("127.0.0.1", port, std::nullopt, limit);
  const comm::BackendProcesses::Options limits{.limit_seconds = kLimit, .silence_seconds = kLimit, .numbers = {}};
  const auto by_gloo = [limit](const auto& keys, int64_t own, int64_t all) {
    return comm::make_gloo_backend(keys, own, all, "127.0.0.1", limit);
  };
  if (way == Way::gloo) return std::make_shared<comm::BackendProcesses>(std::move(store), rank, ranks, limits, by_gloo);
  if (way == Way::shared_memory)
    return std::make_shared<comm::SharedProcesses>(std::move(store), comm::OneHost{rank, ranks}, kLimit, kLimit);
  return std::make_shared<comm::HostsProcesses>(std::move(store), rank, comm::HostPlan{{0, 1, ranks}}, limits, by_gloo);
}

void run_process_ranks(Way way, int64_t ranks, const std::function<void(const ProcessGroup&)>& act) {
  SCOPED_TRACE(way == Way::gloo ? "gloo" : way == Way::shared_memory ? "shared memory" : "two hosts");
  const comm::MeetingPoint point("127.0.0.1", 0, {});
  testing::on_threads(ranks, [&](int64_t r) { act({join(way, r, ranks, point.port()), r}); });
}

// Ranks of one process and of several: what `act` returns on rank 0.
void expect_equal_numbers(int64_t ranks, const std::function<std::vector<Tensor>(const ProcessGroup&)>& act) {
  std::vector<Tensor> want;
  run_ranks(ranks, [&](comm::Communicator& communicator) {
    auto all = act(group_of(communicator));
    if (communicator.rank() == 0) want = std::move(all);
  });
  for (const auto way : {Way::gloo, Way::shared_memory, Way::two_hosts}) {
    std::vector<Tensor> got;
    run_process_ranks(way, ranks, [&](const ProcessGroup& group) {
      auto all = act(group);
      if (group.rank() == 0) got = std::move(all);
    });
    ASSERT_EQ(got.size(), want.size());
    for (std::size_t i = 0; i < want.size(); ++i)
      EXPECT_EQ(difference(got[i].to(at::kDouble), want[i].to(at::kDouble), 1e-5), "") << i;
  }
}

// N: a batch norm. Which way an input goes is this rank's affair, so that gradients come in another order on each.
template <class N>
struct WaysImpl : torch::nn::Module {
  WaysImpl() {
    first = register_module("first", torch::nn::Linear(4, 6));
    norm = register_module("norm", N(6));
    left = register_module("left", torch::nn::Linear(6, 3));
    right = register_module("right", torch::nn::Linear(6, 3));
    const c10::NoGradGuard no_grad;
    uint64_t i = 0;
    for (auto& p : parameters()) p.copy_(RandomStream(2).fold(i++).normal(Shape::of(p.sizes().vec())));
  }
  Tensor forward(const Tensor& x, bool take_right) {
    const Tensor y = at::tanh(norm(first(x)));
    return take_right ? right(y) : left(y);
  }
  torch::nn::Linear first{nullptr}, left{nullptr}, right{nullptr};
  N norm{nullptr};
};

template <class N>
using Ways = torch::nn::ModuleHolder<WaysImpl<N>>;

Tensor way_rows(int64_t rank, int64_t step) {
  return RandomStream(8).fold(static_cast<uint64_t>(10 * rank + step)).normal({3, 4});
}

template <class M>
std::vector<Tensor> state_of_module(const M& module) {
  auto all = module->parameters();
  for (const auto& buffer : module->buffers()) all.push_back(buffer);
  return all;
}

template <class Net>
void expect_equal_uneven_training() {
  for (const int64_t ranks : {2, 4}) {
    expect_equal_numbers(ranks, [](const ProcessGroup& group) {
      Net net;
      if constexpr (std::is_same_v<Net, Ways<SyncBatchNorm>>) convert_sync_batchnorm(net, group);
      DistributedDataParallel<Net> model(net, group, {.bucket_bytes = 16});
      torch::optim::SGD optimizer(model.parameters(), torch::optim::SGDOptions(0.1).momentum(0.9));
      for (int64_t epoch = 0; epoch < 2; ++epoch) {
        model.join(optimizer, [&] {
          for (int64_t step = 0; step < (group.rank() + 2 * epoch) % 4; ++step) {
            optimizer.zero_grad();
            model(way_rows(group.rank(), step), (group.rank() + step) % 2 == 0).square().mean().backward();
            optimizer.step();
          }
        });
        model.check_alike();
      }
      return state_of_module(model.module());
    });
  }
}

TEST(ProcessModules, UnevenInputs) {
  expect_equal_uneven_training<Ways<torch::nn::BatchNorm1d>>();
  expect_equal_uneven_training<Ways<SyncBatchNorm>>();
}

TEST(ProcessModules, AnExceptionIsToldToAll) {  // U36
  using Net = Ways<torch::nn::BatchNorm1d>;
  const testing::CapturedLog log;
  for (const auto way : {Way::gloo, Way::shared_memory, Way::two_hosts})
    run_process_ranks(way, 3, [](const ProcessGroup& group) {
      DistributedDataParallel<Net> model(Net(), group, {.bucket_bytes = 16});
      const auto loop = [&] {
        for (int64_t step = 0; step < 3 + group.rank(); ++step) {
          Tensor y = model(way_rows(group.rank(), step), true);
          if (group.rank() == 1 && step == 3) throw DataError("boom");
          y.square().mean().backward();
        }
      };
      if (group.rank() == 1) {
        EXPECT_EQ(message_of<DataError>([&] { model.join(loop); }), "boom");
      } else {
        EXPECT_EQ(message_of<PeerError>([&] { model.join(loop); }),
                  "rank " + std::to_string(group.rank()) + ": join: rank 1 left the loop: boom");
      }
      group.barrier();
    });
}

TEST(ProcessModules, SyncBatchNormAmidBuckets) {
  using Net = Ways<SyncBatchNorm>;
  for (const int64_t ranks : {3, 4}) {  // each step has ranks of 0 to 3 rows
    expect_equal_numbers(ranks, [](const ProcessGroup& group) {
      Net net;
      convert_sync_batchnorm(net, group);
      DistributedDataParallel<Net> model(net, group, {.bucket_bytes = 16});
      torch::optim::SGD optimizer(model.parameters(), 0.1);
      for (int64_t step = 0; step < 4; ++step) {
        optimizer.zero_grad();
        const Tensor x = way_rows(group.rank(), step).narrow(0, 0, (group.rank() + step) % 4);
        model(x, (group.rank() + step) % 2 == 0).square().sum().backward();
        optimizer.step();
      }
      model.check_alike();
      return state_of_module(net);
    });
  }
}

TEST(ProcessModules, SizesThatDifferAndRowsThatAreShared) {
  for (const auto way : {Way::gloo, Way::shared_memory, Way::two_hosts})
    run_process_ranks(way, 2, [](const ProcessGroup& group) {
      EXPECT_EQ(
          message_of([&] { group.all_gather(at::zeros({2 + group.rank()})); }),
          "all_gather: all ranks must bring the same type and sizes, but rank 0 Float of sizes [2], rank 1 Float of "
          "sizes [3]");
      EXPECT_EQ(group.all_gather_objects(group.rank() == 0 ? "" : "some")[1], "some");
      const data::TensorDataset rows(at::zeros({9, 1}));
      data::DataLoader loader(rows, {.batch_size = 2, .sampler = data::DistributedSampler(9, group)});
      check_shards(loader, group);
      for (auto [x, y] : loader.epoch(0)) EXPECT_LE(x.size(0), 2);
      EXPECT_EQ(check_receipt(loader, group).rows, 9);
      const data::DistributedSampler as_one(9, 2, 0);
      EXPECT_NE(message_of([&] { check_shards(as_one, group); }).find("is served by rank 0 and rank 1"),
                std::string::npos);
    });
}

}  // namespace
}  // namespace tandem::distribute
