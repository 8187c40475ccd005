// Loops that make unequal numbers of steps on the ranks, which are threads here: the numbers of the formula.
#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/optim/adam.h>
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

// What `c` must lead to after `epochs`, by the formula: one copy for each rank, and of each gradient the sum over the
// ranks that have data divided by a number.
class Formula {
 public:
  explicit Formula(const Case& c) : case_(c) {
    for (std::size_t r = 0; r < c.steps.size(); ++r) copies_.emplace_back(3);
  }

  std::vector<Tensor> run(int64_t epochs) {
    torch::optim::SGD optimizer(copies_[0]->parameters(), torch::optim::SGDOptions(0.1).momentum(0.9));
    const auto most = *std::max_element(case_.steps.begin(), case_.steps.end());
    int64_t last = 0;
    for (int64_t epoch = 0; epoch < epochs; ++epoch) {
      for (int64_t step = 0; step < most; ++step) {
        last = step_once(step, optimizer);
      }
      take_buffers(last);
    }
    std::vector<Tensor> all;  // which ranks read at once: without a gradient
    for (const auto& p : copies_[0]->parameters()) all.push_back(p.detach());
    for (const auto& b : copies_[0]->buffers()) all.push_back(b);
    return all;
  }

 private:
  void take_buffers(int64_t from) {
    const c10::NoGradGuard no_grad;
    for (auto& copy : copies_) {
      for (std::size_t b = 0; b < copy->buffers().size(); ++b)
        copy->buffers()[b].copy_(copies_[static_cast<std::size_t>(from)]->buffers()[b].clone());
    }
  }

  int64_t step_once(int64_t step, torch::optim::SGD& optimizer) {
    std::vector<int64_t> with_data;
    for (std::size_t r = 0; r < copies_.size(); ++r) {
      if (step < case_.steps[r]) with_data.push_back(static_cast<int64_t>(r));
    }
    const auto pass = [&](int64_t rank, int64_t part) {
      auto& copy = copies_[static_cast<std::size_t>(rank)];
      loss_of_fork(copy->forward(step_rows(rank, step, part), goes_right(rank, step))).backward();
    };
    for (auto& copy : copies_) copy->zero_grad();
    if (case_.no_sync) {
      for (auto r : with_data) pass(r, 1);
    }
    take_buffers(with_data.front());
    for (auto r : with_data) pass(r, 0);
    const auto addends = static_cast<double>(case_.by_those_with_data ? with_data.size() : copies_.size());
    const auto parameters = copies_[0]->parameters();
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      Tensor sum;
      for (auto r : with_data) {
        const Tensor one = copies_[static_cast<std::size_t>(r)]->parameters()[i].grad();
        if (one.defined()) sum = sum.defined() ? sum + one : one.clone();
      }
      copies_[0]->parameters()[i].mutable_grad() = sum.defined() ? sum / addends : sum;
    }
    optimizer.step();
    const c10::NoGradGuard no_grad;
    for (std::size_t r = 1; r < copies_.size(); ++r) {
      for (std::size_t i = 0; i < parameters.size(); ++i) copies_[r]->parameters()[i].copy_(parameters[i]);
    }
    return with_data.front();
  }

  Case case_;
  std::vector<Fork> copies_;
};

void expect_as_the_formula(const Case& c) {
  constexpr int64_t kEpochs = 2;  // in the second one the optimizers' states count
  const auto want = Formula(c).run(kEpochs);
  run_ranks(static_cast<int64_t>(c.steps.size()), [&](comm::Communicator& ranks) {
    const auto group = group_of(ranks);
    DistributedDataParallel<Fork> model(Fork(3), group, {.bucket_bytes = c.bucket_bytes});
    torch::optim::SGD optimizer(model.parameters(), torch::optim::SGDOptions(0.1).momentum(0.9));
    const auto rank = group.rank();
    for (int64_t epoch = 0; epoch < kEpochs; ++epoch) {
      model.join(optimizer,
                 [&] {
                   for (int64_t step = 0; step < c.steps[static_cast<std::size_t>(rank)]; ++step) {
                     optimizer.zero_grad();
                     if (c.no_sync) {
                       const auto quiet = model.no_sync();
                       loss_of_fork(model(step_rows(rank, step, 1), goes_right(rank, step))).backward();
                     }
                     loss_of_fork(model(step_rows(rank, step), goes_right(rank, step))).backward();
                     optimizer.step();
                   }
                 },
                 {.divide_by_initial_world_size = !c.by_those_with_data});
    }
    auto own = model.parameters();
    for (const auto& b : model.module()->buffers()) own.push_back(b);
    for (std::size_t i = 0; i < want.size(); ++i)
      EXPECT_EQ(difference(own[i].to(at::kDouble), want[i].to(at::kDouble), 1e-5), "") << "rank " << rank << ", " << i;
  });
}

TEST(UnevenInputs, StepsAsTheFormulaSays) {
  for (const auto& steps :
       std::vector<std::vector<int64_t>>{{3, 1}, {1, 3}, {0, 2}, {2, 2}, {3, 1, 2, 3}, {1, 4, 2, 0}}) {
    for (const bool by_those_with_data : {false, true}) {
      expect_as_the_formula({.steps = steps, .by_those_with_data = by_those_with_data});
      expect_as_the_formula({.steps = steps, .by_those_with_data = by_those_with_data, .bucket_bytes = 16});
    }
    expect_as_the_formula({.steps = steps, .no_sync = true, .bucket_bytes = 100});
  }
}

TEST(UnevenInputs, NoRankHasData) {
  run_ranks(2, [](comm::Communicator& ranks) {
    DistributedDataParallel<Fork> model(Fork(3), group_of(ranks));
    model.join([] {});
    EXPECT_TRUE(at::equal(model.parameters()[0], Fork(3)->parameters()[0]));
  });
}

TEST(UnevenInputs, AdamsStateIsShared) {
  run_ranks(2, [](comm::Communicator& ranks) {
    const auto group = group_of(ranks);
    DistributedDataParallel<Fork> model(Fork(3), group);
    torch::optim::Adam optimizer(model.parameters(), 0.01);
    for (int64_t epoch = 0; epoch < 2; ++epoch) {
      model.join(optimizer, [&] {
        for (int64_t step = 0; step < (epoch == 0 ? 1 + 2 * group.rank() : 2); ++step) {
          optimizer.zero_grad();
          loss_of_fork(model(step_rows(group.rank(), step), true)).backward();
          optimizer.step();
        }
      });
    }
    for (const auto& p : model.parameters()) {
      const auto all = group.all_gather(p);
      EXPECT_TRUE(at::equal(all[0], all[1]));
    }
  });
}

TEST(UnevenInputs, ExchangesOneNumberARankMoreForEachPass) {
  run_ranks(2, [](comm::Communicator& ranks) {
    const auto group = group_of(ranks);
    DistributedDataParallel<Fork> model(Fork(3), group);
    const auto step = [&] {
      const auto before = ranks.bytes_sent();
      loss_of_fork(model(step_rows(group.rank(), 0), true)).backward();
      return ranks.bytes_sent() - before;
    };
    const auto plain = step();
    Tensor words = at::zeros({2}, at::kLong);
    const auto before = ranks.bytes_sent();
    group.all_reduce(words);
    const auto of_words = ranks.bytes_sent() - before;
    int64_t joined = 0;
    model.join([&] { joined = step(); });
    EXPECT_EQ(joined, plain + 2 * of_words);
  });
}

}  // namespace
}  // namespace tandem::distribute
