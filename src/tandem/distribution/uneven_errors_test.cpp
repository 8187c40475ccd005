// What goes wrong in loops of unequal lengths: all ranks, which are threads here, know.
#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/optim/sgd.h>

#include "tandem/distribution/distributed_data_parallel.h"
#include "tandem/distribution/ranks_test.h"
#include "tandem/distribution/uneven_test.h"
#include "tandem/testing/captured_log.h"
#include "tandem/testing/message_of.h"
#include "tandem/testing/run_ranks.h"

namespace tandem::distribute {
namespace {

using testing::message_of;
using testing::run_ranks;
using namespace uneven;

// Where rank 1 of 3 throws; ranks 0 and 2 have more steps, or none are left on rank 2.
void expect_all_are_told(const std::string& where, int64_t steps_of_rank_2) {
  testing::CapturedLog log;
  run_ranks(3, [&](comm::Communicator& ranks) {
    const auto group = group_of(ranks);
    DistributedDataParallel<Fork> model(Fork(3), group, {.bucket_bytes = 16});
    torch::optim::SGD optimizer(model.parameters(), 0.1);
    const int64_t rank = group.rank(), steps = rank == 2 ? steps_of_rank_2 : 5;
    const auto loop = [&] {
      for (int64_t step = 0; step < steps; ++step) {
        const auto boom = [&](const char* here) {
          if (rank == 1 && step == 2 && where == here) throw std::runtime_error("boom");
        };
        boom("at the beginning");
        Tensor y = at::tanh(model.module()->norm(model.module()->first(step_rows(rank, step))));
        y.register_hook([&](const Tensor& gradient) {
          boom("amid backward");
          return gradient;
        });
        const Tensor passed = model(step_rows(rank, step), true);  // has said that a forward pass begins
        boom("after forward");
        (loss_of_fork(passed) + loss_of_fork(model.module()->left(y))).backward();
        boom("after backward");
      }
    };
    const auto message = rank == 1 ? message_of<std::exception>([&] { model.join(optimizer, loop); })
                                   : message_of<PeerError>([&] { model.join(optimizer, loop); });
    if (rank == 1) {
      EXPECT_NE(message.find("boom"), std::string::npos) << message;
    } else {
      EXPECT_EQ(message.rfind("rank " + std::to_string(rank) + ": join: rank 1 left the loop: ", 0), 0U) << message;
      EXPECT_NE(message.find("boom"), std::string::npos) << message;
    }
    EXPECT_EQ(group.all_gather(at::full({}, rank, at::kLong))[2].item<int64_t>(), 2);  // all are in step
  });
}

TEST(UnevenErrors, WhatOneRankThrowsAllKnow) {  // U36
  for (const auto* where : {"at the beginning", "after forward", "amid backward", "after backward"}) {
    SCOPED_TRACE(where);
    expect_all_are_told(where, 5);
    expect_all_are_told(where, 1);
    expect_all_are_told(where, 0);
  }
}

TEST(UnevenErrors, NamesRanksThatDoDifferentThings) {
  run_ranks(3, [](comm::Communicator& ranks) {
    const auto group = group_of(ranks);
    DistributedDataParallel<Fork> model(Fork(3), group);
    EXPECT_EQ(
        message_of([&] {
          model.join([&] {
            if (group.rank() == 0) return;
            const Tensor loss = loss_of_fork(model(step_rows(0, 0), true));
            if (group.rank() == 2) model(step_rows(0, 0), true);
            loss.backward();
          });
        }),
        "join: all ranks with data must make the same steps, but rank 1 is about to begin a backward pass, rank 2 "
        "to begin a forward pass");
  });
}

TEST(UnevenErrors, WhatOneRankThrowsAllKnowAmidSyncBatchNorms) {  // U36
  const testing::CapturedLog log;
  for (const std::string where : {"forward", "before the first gradient", "after some gradients"}) {
    SCOPED_TRACE(where);
    run_ranks(3, [&](comm::Communicator& communicator) {
      const auto group = group_of(communicator);
      Normed<SyncBatchNorm> net;
      convert_sync_batchnorm(net, group);
      DistributedDataParallel<Normed<SyncBatchNorm>> model(net, group, {.bucket_bytes = 16});
      const auto rank = group.rank();
      const auto loop = [&] {
        for (int64_t step = 0; step < 1 + 2 * rank; ++step) {
          const auto boom_at = [&, step](const char* here) {
            if (rank == 1 && step == 2 && where == here) throw std::runtime_error("boom");
          };
          const Tensor x = net->first(step_rows(rank, step));
          x.register_hook([&](const Tensor& gradient) {
            boom_at("after some gradients");
            return gradient;
          });
          const Tensor y = net->last(at::tanh(net->norm(x)));
          y.register_hook([&](const Tensor& gradient) {
            boom_at("before the first gradient");
            return gradient;
          });
          boom_at("forward");
          net->again(y).tanh().sum().backward();
        }
      };
      const auto message = rank == 1 ? message_of<std::exception>([&] { model.join(loop); })
                                     : message_of<PeerError>([&] { model.join(loop); });
      EXPECT_NE(message.find("boom"), std::string::npos) << rank << ": " << message;
      group.barrier();
    });
  }
}

TEST(UnevenErrors, RefusesWhatCannotBe) {
  const testing::CapturedLog log;
  run_ranks(1, [](comm::Communicator& ranks) {
    const auto group = group_of(ranks);
    Normed<SyncBatchNorm> apart;
    apart->norm->set_exchange(std::make_shared<StatisticsExchange>(group));
    apart->again->set_exchange(std::make_shared<StatisticsExchange>(group));
    DistributedDataParallel<Normed<SyncBatchNorm>> normed(apart, group);
    EXPECT_EQ(message_of([&] { normed.join([] {}); }),
              "join: all SyncBatchNorms must exchange together, but 'again' got its group alone; give it to all by "
              "convert_sync_batchnorm");
    DistributedDataParallel<Fork> model(Fork(3), group);
    EXPECT_EQ(message_of([&] { model.join([&] { model.join([] {}); }); }),
              "join: must not be within another join of the model");
    model.join([] {});  // the first one has ended
  });
}

}  // namespace
}  // namespace tandem::distribute
