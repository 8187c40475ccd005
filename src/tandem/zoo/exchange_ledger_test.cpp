// The ledger of exchanges: gradients travel while backward still runs.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "tandem/model/body.h"
#include "tandem/model/multi_gpu.h"
#include "tandem/zoo/minigooglenet.h"

namespace tandem {
namespace {

// Looks at the ledgers of both replicas after each step.
struct LedgerByStep : Callback {
  explicit LedgerByStep(Model of) : model(std::move(of)) {}

  void on_train_batch_end(int64_t, Logs&) override {
    ++steps;
    for (int64_t rank = 0; rank < 2; ++rank) {
      const auto ledger = model.body().trainer().execution().ledger(rank);
      ASSERT_GT(ledger.exchanges.size(), 3U);
      EXPECT_LT(ledger.exchanges.front().times.started, ledger.last_gradient) << "step " << steps;
      bytes = 0;
      for (const auto& e : ledger.exchanges) {
        bytes += e.bytes;
        EXPECT_LE(e.times.started, e.times.all_here);
        EXPECT_LE(e.times.all_here, e.times.finished);
        EXPECT_LE(e.times.finished, e.updated);
      }
    }
  }

  Model model;
  int64_t steps = 0, bytes = 0;
};

TEST(ExchangeLedger, FirstBucketStartsBeforeTheLastLayersBackwardEndsInEveryStep) {
  Model model = multi_gpu_model(zoo::minigooglenet(), Devices{"cpu:0", "cpu:1"});
  model.compile({.optimizer = "sgd", .loss = "sparse_categorical_crossentropy"});
  const auto ledgers = std::make_shared<LedgerByStep>(model);
  model.fit(at::rand({16, 32, 32, 3}), at::randint(10, {16}), {.batch_size = 4, .verbose = 0, .callbacks = {ledgers}});
  EXPECT_EQ(ledgers->steps, 4);
  int64_t parameters = 0;
  for (const auto& w : model.trainable_weights()) parameters += w.shape().count();
  EXPECT_GE(ledgers->bytes, parameters * 4);
}

}  // namespace
}  // namespace tandem
