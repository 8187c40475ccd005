#include "tandem/layers/activity_loss.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "tandem/layers/dense.h"
#include "tandem/layers/keras_case_test.h"
#include "tandem/layers/regularizers.h"

namespace tandem {
namespace {

using namespace tandem::testing;

TEST(ActivityLoss, IsAMeanOverRows) {
  AddedLosses added;
  CallContext context;
  context.added_losses = &added;
  const Handle<Regularizer> l2 = regularizers::L2(0.5);
  add_activity_loss(l2, at::full({4, 3}, 2.0F), context);  // 0.5 * 12 * 4 / 4
  ASSERT_EQ(added.losses().size(), 1U);
  EXPECT_EQ(added.losses()[0].dim(), 0);
  EXPECT_FLOAT_EQ(added.losses()[0].item<float>(), 6);
}

TEST(ActivityLoss, IsNothingWithoutRegularizerRowsOrListener) {
  AddedLosses added;
  CallContext context;
  add_activity_loss("l2", at::ones({4, 3}), context);  // nobody adds up losses
  context.added_losses = &added;
  add_activity_loss({}, at::ones({4, 3}), context);
  add_activity_loss("l2", at::ones({0, 3}), context);
  EXPECT_TRUE(added.losses().empty());
}

TEST(ActivityLoss, EachCallOfALayerAddsItsOwn) {
  AddedLosses added;
  CallContext context;
  context.added_losses = &added;
  layers::Dense layer(2, {.kernel_initializer = "ones", .activity_regularizer = "l1"});
  layer(at::ones({3, 4}), context);
  layer(at::ones({5, 4}), context);
  ASSERT_EQ(added.losses().size(), 2U);
  for (const auto& loss : added.losses()) EXPECT_FLOAT_EQ(loss.item<float>(), 0.01F * 2 * 4);
}

TEST(ActivityLoss, AnUnknownRegularizerIsRefusedWhenTheLayerIsMade) {
  expect_refused([] { layers::Dense(2, {.activity_regularizer = "l3"}); }, {"regularizer", "l3"});
}

}  // namespace
}  // namespace tandem
