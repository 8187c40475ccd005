#include "tandem/callbacks/lambda_callback.h"

#include <gtest/gtest.h>

#include "tandem/callbacks/fake_model_test.h"

namespace tandem {
namespace {

using callbacks::LambdaCallback;

TEST(LambdaCallback, CallsEachFunctionAtItsHook) {
  std::string seen;
  const auto at = [&seen](const std::string& hook) {
    return [&seen, hook](int64_t index, const Logs&) { seen += hook + std::to_string(index) + " "; };
  };
  const auto mark = [&seen](const std::string& hook) { return [&seen, hook](const Logs&) { seen += hook + " "; }; };
  const LambdaCallback all({.on_epoch_begin = at("eb"),
                            .on_epoch_end = at("ee"),
                            .on_train_begin = mark("tb"),
                            .on_train_end = mark("te"),
                            .on_train_batch_begin = at("bb"),
                            .on_train_batch_end = at("be"),
                            .on_test_begin = mark("vb"),
                            .on_test_end = mark("ve"),
                            .on_test_batch_begin = at("vbb"),
                            .on_test_batch_end = at("vbe"),
                            .on_predict_begin = mark("pb"),
                            .on_predict_end = mark("pe"),
                            .on_predict_batch_begin = at("pbb"),
                            .on_predict_batch_end = at("pbe")});
  FakeModel model;
  train(*all.object(), model, {Logs()});
  EXPECT_EQ(seen, "tb eb0 bb0 be0 ee0 te ");
  seen.clear();
  Logs logs;
  all.object()->on_test_begin(logs);
  all.object()->on_test_batch_begin(1, logs);
  all.object()->on_test_batch_end(2, logs);
  all.object()->on_test_end(logs);
  all.object()->on_predict_begin(logs);
  all.object()->on_predict_batch_begin(3, logs);
  all.object()->on_predict_batch_end(4, logs);
  all.object()->on_predict_end(logs);
  EXPECT_EQ(seen, "vb vbb1 vbe2 ve pb pbb3 pbe4 pe ");
}

TEST(LambdaCallback, FunctionsMaySetLogsAndTakeAnInt) {
  FakeModel model;
  const LambdaCallback sets({.on_epoch_end = [](int epoch, Logs& logs) { logs.set("mine", epoch + 0.5); }});
  EXPECT_EQ(train(*sets.object(), model, {Logs(), Logs()})[1]["mine"], 1.5);
  train(*LambdaCallback({}).object(), model, {Logs()});  // no function, nothing to call
}

}  // namespace
}  // namespace tandem
