// Loops that make unequal numbers of steps on the ranks, which are threads here: the numbers of the formula.
#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/linear.h>
#include <torch/optim/adam.h>
#include <torch/optim/sgd.h>

#include "tandem/core/log.h"
#include "tandem/core/random.h"
#include "tandem/distribution/distributed_data_parallel.h"
#include "tandem/distribution/ranks_test.h"
#include "tandem/distribution/sync_batch_norm.h"
#include "tandem/testing/captured_log.h"
#include "tandem/testing/closeness.h"
#include "tandem/testing/message_of.h"
#include "tandem/testing/run_ranks.h"

namespace tandem::distribute {
namespace {

using testing::difference;
using testing::message_of;
using testing::run_ranks;

// With buffers that follow each batch, and a way that a call need not take.
struct ForkImpl : torch::nn::Module {
  explicit ForkImpl(uint64_t seed = 3) {
    first = register_module("first", torch::nn::Linear(4, 6));
    norm = register_module("norm", torch::nn::BatchNorm1d(6));
    left = register_module("left", torch::nn::Linear(6, 3));
    right = register_module("right", torch::nn::Linear(6, 3));
    const c10::NoGradGuard no_grad;
    uint64_t i = 0;
    for (auto& p : parameters()) p.copy_(RandomStream(seed).fold(i++).normal(Shape::of(p.sizes().vec())));
  }
  Tensor forward(const Tensor& x, bool take_right) {
    const Tensor y = at::tanh(norm(first(x)));
    return take_right ? left(y) + right(y) : left(y);
  }
  torch::nn::Linear first{nullptr}, left{nullptr}, right{nullptr};
  torch::nn::BatchNorm1d norm{nullptr};
};
TORCH_MODULE(Fork);

Tensor step_rows(int64_t rank, int64_t step, int64_t part = 0) {
  return RandomStream(7).fold(static_cast<uint64_t>(rank)).fold(static_cast<uint64_t>(10 * step + part)).normal({3, 4});
}
bool goes_right(int64_t rank, int64_t step) { return step > 0 && (rank + step) % 2 == 0; }
Tensor loss_of_fork(const Tensor& output) { return output.square().mean(); }

struct Case {
  std::vector<int64_t> steps;  // by rank
  bool by_those_with_data = false;
  bool no_sync = false;  // a step is two passes, of which the first exchanges nothing
  int64_t bucket_bytes = 25 << 20;
};

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
    auto all = copies_[0]->parameters();
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

TEST(UnevenInputs, WhatOneRankThrowsAllKnow) {  // U36
  for (const auto* where : {"at the beginning", "after forward", "amid backward", "after backward"}) {
    SCOPED_TRACE(where);
    expect_all_are_told(where, 5);
    expect_all_are_told(where, 1);
    expect_all_are_told(where, 0);
  }
}

TEST(UnevenInputs, NamesRanksThatDoDifferentThings) {
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

// N: SyncBatchNorm, or BatchNorm1d, which the formula applies to the rows of all ranks that have some.
template <class N>
struct NormedImpl : torch::nn::Module {
  NormedImpl() {
    first = register_module("first", torch::nn::Linear(4, 6));
    norm = register_module("norm", N(6));
    last = register_module("last", torch::nn::Linear(6, 6));
    again = register_module("again", N(torch::nn::BatchNormOptions(6).affine(false)));
    const c10::NoGradGuard no_grad;
    uint64_t i = 0;
    for (auto& p : parameters()) p.copy_(RandomStream(6).fold(i++).normal(Shape::of(p.sizes().vec())));
  }
  Tensor forward(const Tensor& x) { return again(last(at::tanh(norm(first(x))))); }
  torch::nn::Linear first{nullptr}, last{nullptr};
  N norm{nullptr}, again{nullptr};
};
template <class N>
using Normed = torch::nn::ModuleHolder<NormedImpl<N>>;

Tensor loss_of_normed(const Tensor& output) { return (output * output.tanh()).mean(); }

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

TEST(UnevenInputs, WhatOneRankThrowsAllKnowAmidSyncBatchNorms) {  // U36
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

TEST(UnevenInputs, RefusesWhatCannotBe) {
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
