// SyncBatchNorms in loops of unequal lengths, on ranks that are threads: the numbers of one batch norm.
#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/optim/sgd.h>

#include <algorithm>

#include "tandem/distribution/distributed_data_parallel.h"
#include "tandem/distribution/ranks_test.h"
#include "tandem/distribution/uneven_test.h"
#include "tandem/testing/closeness.h"
#include "tandem/testing/run_ranks.h"

namespace tandem::distribute {
namespace {

using testing::difference;
using testing::run_ranks;
using namespace uneven;

void expect_whole_batch_statistics(const Case& c) {
  Normed<torch::nn::BatchNorm1d> whole;
  torch::optim::SGD plain(whole->parameters(), 0.1);
  const auto ranks = static_cast<int64_t>(c.steps.size());
  for (int64_t step = 0; step < *std::max_element(c.steps.begin(), c.steps.end()); ++step) {
    plain.zero_grad();
    for (int64_t part = c.no_sync ? 1 : 0; part >= 0; --part) {
      std::vector<Tensor> rows;
      for (int64_t r = 0; r < ranks; ++r) {
        if (step < c.steps[static_cast<std::size_t>(r)]) rows.push_back(step_rows(r, step, part));
      }
      // Each rank's own mean: all have as many rows.
      const auto weight = static_cast<double>(rows.size()) / static_cast<double>(ranks);
      (loss_of_normed(whole->forward(at::cat(rows))) * (c.by_those_with_data ? 1 : weight)).backward();
    }
    plain.step();
  }
  run_ranks(ranks, [&](comm::Communicator& communicator) {
    const auto group = group_of(communicator);
    Normed<SyncBatchNorm> net;
    convert_sync_batchnorm(net, group);
    DistributedDataParallel<Normed<SyncBatchNorm>> model(net, group, {.bucket_bytes = c.bucket_bytes});
    torch::optim::SGD optimizer(model.parameters(), 0.1);
    const auto rank = group.rank();
    model.join(optimizer,
               [&] {
                 for (int64_t step = 0; step < c.steps[static_cast<std::size_t>(rank)]; ++step) {
                   optimizer.zero_grad();
                   if (c.no_sync) {
                     const auto quiet = model.no_sync();
                     loss_of_normed(model(step_rows(rank, step, 1))).backward();
                   }
                   loss_of_normed(model(step_rows(rank, step))).backward();
                   optimizer.step();
                 }
               },
               {.divide_by_initial_world_size = !c.by_those_with_data});
    for (std::size_t i = 0; i < whole->parameters().size(); ++i)
      EXPECT_EQ(difference(net->parameters()[i], whole->parameters()[i], 1e-4), "") << "rank " << rank << ", " << i;
    for (std::size_t i = 0; i < whole->buffers().size(); ++i)
      EXPECT_EQ(difference(net->buffers()[i].to(at::kFloat), whole->buffers()[i].to(at::kFloat), 1e-4), "") << i;
  });
}

TEST(UnevenInputs, SyncBatchNormsHaveTheRowsOfThoseWithData) {  // U24
  for (const auto& steps : std::vector<std::vector<int64_t>>{{3, 1}, {0, 2}, {2, 2}, {1, 3, 2, 0}}) {
    for (const bool by_those_with_data : {false, true}) {
      expect_whole_batch_statistics({.steps = steps, .by_those_with_data = by_those_with_data});
      expect_whole_batch_statistics(
          {.steps = steps, .by_those_with_data = by_those_with_data, .no_sync = true, .bucket_bytes = 16});
    }
  }
}

}  // namespace
}  // namespace tandem::distribute
