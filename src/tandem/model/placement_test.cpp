#include <gtest/gtest.h>

#include "tandem/distribution/single_device.h"
#include "tandem/layers/dense.h"
#include "tandem/layers/input.h"
#include "tandem/model/model.h"
#include "tandem/optimizers/sgd.h"

namespace tandem {
namespace {

using layers::Dense;
using layers::Input;

Model placed(const char* first, const char* second) {
  const auto x = Input({4});
  KerasTensor y;
  {
    DeviceScope on(first);
    y = Dense(3)(x);
  }
  {
    DeviceScope on(second);
    y = Dense(2, {.name = "head"})(y);
  }
  return Model(x, y, "placed");
}

TEST(Placement, ScopesThatDifferAreWhereTheModelRuns) {
  auto model = placed("cpu:0", "cpu:1");
  model.compile({.optimizer = "sgd", .loss = "mse"});
  EXPECT_EQ(model.placement().replicas, (std::vector<std::string>{"cpu:0", "cpu:1"}));
  model.compile({.optimizer = "sgd", .loss = "mse", .strategy = distribute::SingleDevice("cpu:0")});
  EXPECT_EQ(model.placement().replicas, (std::vector<std::string>{"cpu:0"}));  // a strategy's devices win
}

TEST(Placement, ScopesThatAgreeAreFine) {
  EXPECT_NO_THROW(placed("cpu:0", "cpu:0").compile({.optimizer = "sgd", .loss = "mse"}));
}

}  // namespace
}  // namespace tandem
