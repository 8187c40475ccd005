// How processes that train one model end where they differ, or one of them fails.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <mutex>

#include "tandem/callbacks/lambda_callback.h"
#include "tandem/layers/dense.h"
#include "tandem/layers/input.h"
#include "tandem/model/processes_case_test.h"
#include "tandem/network/subclassed.h"
#include "tandem/testing/message_of.h"

namespace tandem {
namespace {

using namespace layers;
using callbacks::LambdaCallback;
using parity::by_adam;
using parity::on_grid;
using parity::some_x;
using parity::some_y;
using parity::two_layers;
using testing::message_of;

// What each of two processes says where `act` ends by an error in both.
template <class E>
std::vector<std::string> refusals(const std::function<void(Model&, int64_t)>& act,
                                  const distribute::DataParallelOptions& options = {}) {
  std::vector<std::string> said(2);
  on_grid({2, 1}, two_layers, by_adam(), options, [&](Model& model, int64_t process) {
    said[static_cast<std::size_t>(process)] = message_of<E>([&] { act(model, process); });
  });
  return said;
}

TEST(FailingProcesses, AnErrorNamesTheRankWhoseModelOrDataDiffer) {
  const std::vector<std::string> twice(2);
  const auto all = [](const std::string& line) { return std::vector<std::string>{line, line}; };
  EXPECT_EQ(refusals<InvalidArgument>([](Model& model, int64_t process) {
              model.fit(some_x().slice(0, process), some_y().slice(0, process), {.verbose = 0});
            }),
            all("fit: all ranks must be given the same data, but rank 1 has 25 rows and rank 0 has 26"));
  EXPECT_EQ(refusals<InvalidArgument>(
                [](Model& model, int64_t process) { model.evaluate(some_x() + process, some_y(), {.verbose = 0}); }),
            all("evaluate: all ranks must be given the same data, but rank 1's first rows are not rank 0's"));
  const auto epochs = refusals<InvalidArgument>(
      [](Model& model, int64_t process) { model.fit(some_x(), some_y(), {.epochs = 1 + process, .verbose = 0}); });
  EXPECT_EQ(epochs, all("fit: all ranks must ask for the same, but rank 1 has epochs 2 and rank 0 has epochs 1"));

  // Of the models that are made next.
  int64_t units = 8;
  std::string precision = "float32";
  const auto expect_refused = [&](const std::function<Dense()>& first, const std::string& what) {
    std::vector<std::string> said(2);
    on_grid(
        {2, 1},
        [&] {
          return Sequential({Input({6}), first(), Dense(3)});
        },
        by_adam(), {},
        [&](Model& model, int64_t process) {
          said[static_cast<std::size_t>(process)] = message_of([&] { model.fit(some_x(), some_y(), {.verbose = 0}); });
        });
    EXPECT_EQ(said, all("DataParallel: model 'sequential': all ranks must have the same, but " + what));
  };
  expect_refused([&] { return Dense(units++); },
                 "rank 1 has weight 0 'kernel' [6, 9] of Float and rank 0 has weight 0 'kernel' [6, 8] of Float");
  expect_refused(
      [&] {
        Dense dense(8);
        dense->set_dtype_policy(std::exchange(precision, "mixed_bfloat16"));
        return dense;
      },
      "rank 1 has precision of layer 1 mixed_bfloat16 and rank 0 has precision of layer 1 float32");
}

TEST(FailingProcesses, OneThatFailsEndsTheOthersAndIsNamed) {
  std::mutex mutex;
  std::string own, other;
  on_grid({2, 1}, two_layers, by_adam(), {}, [&](Model& model, int64_t process) {
    const LambdaCallback failing({.on_train_batch_end = [&](int64_t batch, const Logs&) {
      if (process == 1 && batch == 2) throw DataError("no space left");
    }});
    try {
      model.fit(some_x(), some_y(), {.batch_size = 4, .epochs = 3, .verbose = 0, .callbacks = {failing}});
    } catch (const DataError& error) {
      const std::lock_guard lock(mutex);
      own = error.what();
    } catch (const PeerError& error) {
      const std::lock_guard lock(mutex);
      other = error.what();
    }
    EXPECT_EQ(model.get_weights().size(), 4U) << "what was learned can be had";
    EXPECT_THROW(model.evaluate(some_x(), some_y(), {.verbose = 0}), PeerError) << "the group is of no use any more";
  });
  EXPECT_EQ(own, "no space left");
  EXPECT_NE(other.find("rank 1 failed in fit, step 4: no space left"), std::string::npos) << other;
}

TEST(FailingProcesses, AStepThatFailsInOneReplicaEndsAll) {
  struct Failing : SubclassedModel {
    Dense out = track("out", Dense(3));
    bool fails = false;
    Tensor call(const Tensor& x, const CallContext& context) override { return out(x, context); }
    void train_step(Step& step) override {
      if (fails && step.context().first_row > 0) throw InvalidArgument("no such step");
      SubclassedModel::train_step(step);
    }
  };
  std::vector<std::string> said(2);
  on_grid(
      {2, 2}, [] { return make_model<Failing>(); }, by_adam(), {},
      [&](Model& model, int64_t process) {
        const LambdaCallback breaks({.on_epoch_end = [&](int64_t, const Logs&) {
          static_cast<Failing&>(*model.network()).fails = process == 1;
        }});
        said[static_cast<std::size_t>(process)] = message_of<Error>([&] {
          model.fit(some_x(), some_y(), {.batch_size = 26, .epochs = 3, .verbose = 0, .callbacks = {breaks}});
        });
      });
  EXPECT_EQ(said[1], "no such step");
  EXPECT_NE(said[0].find("rank 1 failed in step 2: no such step"), std::string::npos) << said[0];
}

}  // namespace
}  // namespace tandem
