// Modules trained by several ranks, which are threads here: the numbers of one process.
#include "tandem/distribution/distributed_data_parallel.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/nn/functional/activation.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/linear.h>
#include <torch/optim/sgd.h>

#include <utility>

#include "tandem/comm/local_group.h"
#include "tandem/core/random.h"
#include "tandem/distribution/ranks_test.h"
#include "tandem/testing/closeness.h"
#include "tandem/testing/message_of.h"
#include "tandem/testing/run_ranks.h"

namespace tandem::distribute {
namespace {

using testing::difference;
using testing::message_of;
using testing::run_ranks;

// Two ways from input to output, of which a call may take one alone.
struct BranchesImpl : torch::nn::Module {
  explicit BranchesImpl(uint64_t seed, int64_t units = 6) {
    first = register_module("first", torch::nn::Linear(4, units));
    norm = register_module("norm", torch::nn::BatchNorm1d(units));
    left = register_module("left", torch::nn::Linear(units, 3));
    right = register_module("right", torch::nn::Linear(units, 3));
    const c10::NoGradGuard no_grad;
    uint64_t i = 0;
    for (auto& p : parameters()) p.copy_(RandomStream(seed).fold(i++).normal(Shape::of(p.sizes().vec())));
    for (auto& b : buffers()) b.fill_(static_cast<double>(seed));
  }
  Tensor forward(const Tensor& x, bool take_right) {
    const Tensor y = at::tanh(first(x));
    return take_right ? left(y) + right(y) : left(y);
  }
  torch::nn::Linear first{nullptr}, left{nullptr}, right{nullptr};
  torch::nn::BatchNorm1d norm{nullptr};  // never called: its parameters stay unused
};
TORCH_MODULE(Branches);

Tensor rows(int64_t first, int64_t count, uint64_t key) {
  return RandomStream(key).normal({64, 4}).narrow(0, first, count);
}
Tensor loss_of(const Tensor& output) { return output.square().mean(); }

TEST(DistributedDataParallel, BeginsAlike) {  // U43
  run_ranks(3, [](comm::Communicator& ranks) {
    const auto group = group_of(ranks);
    DistributedDataParallel<Branches> model(Branches(static_cast<uint64_t>(ranks.rank()) + 1), group);
    Branches first(1);
    const auto own = model.parameters(), want = first->parameters();
    for (std::size_t i = 0; i < want.size(); ++i) EXPECT_TRUE(at::equal(own[i], want[i])) << i;
    for (const auto& buffer : model.module()->buffers()) EXPECT_TRUE(buffer.eq(1).all().item<bool>());
  });
}

TEST(DistributedDataParallel, TrainsAsOneProcessDoes) {
  for (const int64_t ranks : {1, 2, 4}) {
    for (const int64_t bucket_bytes : {16, 200, 25 << 20}) {
      Branches one(5);
      torch::optim::SGD plain(one->parameters(), torch::optim::SGDOptions(0.1).momentum(0.9));
      for (int step = 0; step < 3; ++step) {
        plain.zero_grad();
        loss_of(one->forward(rows(16 * step, 16, 9), true)).backward();
        plain.step();
      }
      run_ranks(ranks, [&](comm::Communicator& communicator) {
        const auto group = group_of(communicator);
        DistributedDataParallel<Branches> model(Branches(static_cast<uint64_t>(communicator.rank()) + 5), group,
                                                {.bucket_bytes = bucket_bytes});
        torch::optim::SGD optimizer(model.parameters(), torch::optim::SGDOptions(0.1).momentum(0.9));
        const int64_t part = 16 / ranks;
        for (int step = 0; step < 3; ++step) {
          optimizer.zero_grad();
          loss_of(model(rows(16 * step + part * communicator.rank(), part, 9), true)).backward();
          optimizer.step();
        }
        const auto own = model.parameters(), want = one->parameters();
        for (std::size_t i = 0; i < want.size(); ++i) EXPECT_EQ(difference(own[i], want[i], 1e-6), "") << i;
      });
    }
  }
}

TEST(DistributedDataParallel, UnusedParametersCountAsZeroOrGetNothing) {  // U42
  run_ranks(2, [](comm::Communicator& ranks) {
    const auto group = group_of(ranks);
    DistributedDataParallel<Branches> model(Branches(3), group);
    for (int again = 0; again < 2; ++again) {
      model.module()->zero_grad();
      const Tensor x = rows(0, 4, 1);
      loss_of(model(x, ranks.rank() == 0)).backward();  // rank 1 does not take the right way
      Branches alone(3);
      loss_of(alone->forward(x, true)).backward();
      EXPECT_EQ(difference(model.module()->right->weight.grad(), alone->right->weight.grad() / 2, 1e-6), "");
      EXPECT_FALSE(model.module()->norm->weight.grad().defined());
    }
  });
}

TEST(DistributedDataParallel, ParametersThatNoRankUsedStayAsTheyAre) {  // U42: nor do optimizers get a state for them
  run_ranks(2, [](comm::Communicator& ranks) {
    DistributedDataParallel<Branches> model(Branches(3), group_of(ranks));
    torch::optim::SGD optimizer(model.parameters(), torch::optim::SGDOptions(0.1).momentum(0.9));
    for (int step = 0; step < 2; ++step) {
      optimizer.zero_grad();
      loss_of(model(rows(4 * ranks.rank(), 4, 1), false)).backward();
      optimizer.step();
    }
    const auto& right = model.module()->right->weight;
    EXPECT_TRUE(at::equal(right, Branches(3)->right->weight));
    EXPECT_EQ(optimizer.state().count(right.unsafeGetTensorImpl()), 0U);
    EXPECT_EQ(optimizer.state().count(model.module()->left->weight.unsafeGetTensorImpl()), 1U);
  });
}

TEST(DistributedDataParallel, NamesUnusedParametersWhereAllMustBeUsed) {  // U42
  run_ranks(2, [](comm::Communicator& ranks) {
    DistributedDataParallel<Branches> model(Branches(3), group_of(ranks), {.all_used = true});
    EXPECT_EQ(message_of([&] { loss_of(model(rows(0, 4, 1), ranks.rank() == 0)).backward(); }),
              "backward: all 2 ranks must use all parameters, but used 'right.bias' by 1, 'right.weight' by 1, "
              "'norm.bias' by 0, 'norm.weight' by 0");
  });
}

TEST(DistributedDataParallel, NamesWhatIsNoLongerAlike) {  // U43
  run_ranks(3, [](comm::Communicator& ranks) {
    DistributedDataParallel<Branches> model(Branches(3), group_of(ranks));
    model.check_alike();
    const c10::NoGradGuard no_grad;
    if (ranks.rank() == 1) model.module()->left->bias[2] += 1e-6;
    EXPECT_EQ(message_of([&] { model.check_alike(); }),
              "check_alike: all ranks must have the same values, but 'left.bias' of rank 1 differs from rank 0's");
    if (ranks.rank() == 2) model.module()->norm->num_batches_tracked += 1;
    if (ranks.rank() == 1) model.module()->left->bias.copy_(Branches(3)->left->bias);
    EXPECT_EQ(message_of([&] { model.check_alike(); }),
              "check_alike: all ranks must have the same values, but 'norm.num_batches_tracked' of rank 2 differs from "
              "rank 0's");
  });
}

TEST(DistributedDataParallel, NoSyncAddsUpUntilABackwardThatExchanges) {  // U67: 2 x 4 rows are one batch of 8
  run_ranks(2, [](comm::Communicator& ranks) {
    const auto group = group_of(ranks);
    DistributedDataParallel<Branches> model(Branches(3), group);
    const int64_t first = 8 * ranks.rank();
    for (int again = 0; again < 2; ++again) {
      model.module()->zero_grad();
      const auto before = ranks.bytes_sent();
      {
        const auto quiet = model.no_sync();
        (loss_of(model(rows(first, 4, 1), true)) / 2).backward();
      }
      EXPECT_EQ(ranks.bytes_sent(), before);
      (loss_of(model(rows(first + 4, 4, 1), true)) / 2).backward();
      Branches whole(3);
      loss_of(whole->forward(rows(0, 16, 1), true)).backward();
      EXPECT_EQ(difference(model.module()->first->weight.grad(), whole->first->weight.grad(), 1e-6), "");
    }
  });
}

// One rank that counts the exchanges that were started.
class Counting final : public comm::Communicator {
 public:
  int64_t started = 0;

  int64_t rank() const override { return 0; }
  int64_t world_size() const override { return 1; }
  void all_reduce(Tensor& tensor, const comm::ReduceOptions& options) override { own().all_reduce(tensor, options); }
  comm::Pending all_reduce_async(Tensor& tensor, const comm::ReduceOptions& options) override {
    ++started;
    return own().all_reduce_async(tensor, options);
  }
  void reduce_scatter(const Tensor& whole, Tensor& part) override { own().reduce_scatter(whole, part); }
  void all_gather(const Tensor& part, Tensor& whole) override { own().all_gather(part, whole); }
  void broadcast(Tensor& tensor, int64_t root) override { own().broadcast(tensor, root); }
  void send(const Tensor& tensor, int64_t to, int64_t tag) override { own().send(tensor, to, tag); }
  void recv(Tensor& tensor, int64_t from, int64_t tag) override { own().recv(tensor, from, tag); }
  void barrier() override { own().barrier(); }
  std::unique_ptr<Communicator> subgroup(const std::vector<int64_t>& ranks) override { return own().subgroup(ranks); }
  int64_t bytes_sent() const override { return 0; }
  double seconds_waiting() const override { return 0; }
  double seconds_moving() const override { return 0; }

 private:
  comm::Communicator& own() { return group_.rank(0); }
  comm::LocalGroup group_{1, 30};
};

TEST(DistributedDataParallel, ExchangesWhileBackwardRuns) {
  Counting ranks;
  DistributedDataParallel<Branches> model(Branches(3), group_of(ranks), {.bucket_bytes = 100});
  int64_t before_the_first_layer = -1;
  model.module()->first->weight.register_hook([&](const Tensor&) { before_the_first_layer = ranks.started; });
  loss_of(model(rows(0, 4, 1), true)).backward();
  EXPECT_GE(before_the_first_layer, 1);  // the last layers' buckets
  EXPECT_GT(ranks.started, before_the_first_layer);
}

TEST(DistributedDataParallel, AccumulationExchangesOnceAnUpdate) {  // U67: its buckets, and which parameters were used
  Counting ranks;
  DistributedDataParallel<Branches> model(Branches(3), group_of(ranks), {.bucket_bytes = 100});
  loss_of(model(rows(0, 4, 1), true)).backward();
  const auto once = std::exchange(ranks.started, 0);
  const auto pass = [&](int64_t part) { loss_of(model(rows(4 * part, 4, 1), true)).backward(); };
  {
    const auto quiet = model.no_sync();
    for (int64_t part = 0; part < 3; ++part) pass(part);
  }
  pass(3);
  EXPECT_EQ(ranks.started, once);
}

// A backward pass that one rank alone gives up: the others are told when that rank comes to its next one.
TEST(DistributedDataParallel, ABackwardThatOneRankGaveUpIsAnErrorOnTheOthers) {
  run_ranks(2, [](comm::Communicator& ranks) {
    DistributedDataParallel<Branches> model(Branches(5), group_of(ranks), {.bucket_bytes = 16});
    const auto loss = [&](bool throws) {
      Tensor y = at::tanh(model.module()->first(rows(0, 4, 9)));
      y.register_hook([throws](const Tensor& gradient) {
        if (throws) throw std::runtime_error("a hook throws");
        return gradient;
      });
      return loss_of(model.module()->left(y) + model.module()->right(y));
    };
    if (ranks.rank() == 1) {
      EXPECT_NE(message_of<std::exception>([&] { loss(true).backward(); }).find("a hook throws"), std::string::npos);
    } else {
      EXPECT_EQ(message_of<PeerError>([&] { loss(false).backward(); }),
                "rank 0: backward: that of rank 1 ended by an exception");
    }
    loss(false).backward();  // all are in step again
  });
}

TEST(DistributedDataParallel, GoesOnAfterABackwardThatThrew) {
  Branches one(5);
  loss_of(one->forward(rows(0, 8, 9), true)).backward();
  run_ranks(2, [&](comm::Communicator& ranks) {
    DistributedDataParallel<Branches> model(Branches(5), group_of(ranks), {.bucket_bytes = 16});
    const Tensor x = rows(4 * ranks.rank(), 4, 9);
    bool throws = true;
    Tensor y = at::tanh(model.module()->first(x));
    y.register_hook([&](const Tensor& gradient) {
      if (throws) throw std::runtime_error("a hook throws");
      return gradient;
    });
    const Tensor loss = loss_of(model.module()->left(y) + model.module()->right(y));
    EXPECT_NE(message_of<std::exception>([&] { loss.backward({}, true); }).find("a hook throws"), std::string::npos);
    throws = false;
    for (auto& p : model.parameters()) p.mutable_grad() = Tensor();
    loss.backward();
    const auto own = model.parameters(), want = one->parameters();
    for (std::size_t i = 0; i < want.size(); ++i) {
      ASSERT_EQ(own[i].grad().defined(), want[i].grad().defined()) << i;
      if (!want[i].grad().defined()) continue;  // norm's
      EXPECT_EQ(difference(own[i].grad(), want[i].grad(), 1e-6), "") << i;
    }
  });
}

TEST(DistributedDataParallel, NamesTheRankThatHasAnotherModule) {
  run_ranks(3, [](comm::Communicator& ranks) {
    const auto group = group_of(ranks);
    EXPECT_EQ(message_of([&] { DistributedDataParallel<Branches>(Branches(1, ranks.rank() == 2 ? 7 : 6), group); }),
              "DistributedDataParallel: all ranks must have the same parameters and buffers, but rank 2's differ from "
              "rank 0's in number, name, type or shape");
  });
}

TEST(ProcessGroup, GathersAndBroadcasts) {
  run_ranks(3, [](comm::Communicator& ranks) {
    const auto group = group_of(ranks);
    const auto all = group.all_gather(at::full({2, 1}, ranks.rank(), at::kLong));
    ASSERT_EQ(all.size(), 3U);
    EXPECT_TRUE(at::equal(all[2], at::full({2, 1}, 2, at::kLong)));
    EXPECT_EQ(group.broadcast_object(ranks.rank() == 1 ? "from 1" : "else", 1), "from 1");
    EXPECT_EQ(group.device().to_string(), "cpu:" + std::to_string(ranks.rank()));
  });
}

TEST(ProcessGroup, AloneWhereNobodySaysMore) {
  const auto group = init_process_group();
  EXPECT_EQ(group.world_size(), 1);
  group.barrier();
  EXPECT_EQ(message_of([] { init_process_group({.backend = "glo"}); }),
            "backend 'glo' is not known; did you mean 'gloo'?");
}

}  // namespace
}  // namespace tandem::distribute
