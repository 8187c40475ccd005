#include "tandem/callbacks/terminate_on_nan.h"

#include <gtest/gtest.h>

#include <limits>

#include "tandem/callbacks/fake_model_test.h"
#include "tandem/core/error.h"
#include "tandem/testing/captured_log.h"
#include "tandem/testing/message_of.h"

namespace tandem {
namespace {

using callbacks::TerminateOnNaN;

TEST(TerminateOnNaN, StopsAtALossThatIsNotFinite) {
  for (const double wrong : {std::numeric_limits<double>::quiet_NaN(), -std::numeric_limits<double>::infinity()}) {
    FakeModel model;
    const testing::CapturedLog log;
    EXPECT_EQ(train(*TerminateOnNaN().object(), model, epochs_with("loss", {1, wrong, 1})).size(), 2U);
    EXPECT_EQ(log.warnings(), std::vector<std::string>{"Batch 0: Invalid loss, terminating training"});
  }
  FakeModel model;
  EXPECT_EQ(train(*TerminateOnNaN().object(), model, epochs_with("other", {1})).size(), 1U);
  EXPECT_FALSE(model.stopped);
}

TEST(TerminateOnNaN, RaisesWhereAsked) {
  FakeModel model;
  EXPECT_EQ(testing::message_of<Error>([&] {
              train(*TerminateOnNaN({.raise_error = true}).object(), model,
                    epochs_with("loss", {std::numeric_limits<double>::infinity()}));
            }),
            "TerminateOnNaN: loss must be finite, is inf at batch 0");
}

}  // namespace
}  // namespace tandem
