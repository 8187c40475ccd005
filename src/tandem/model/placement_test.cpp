#include <gtest/gtest.h>

#include "tandem/core/error.h"
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

TEST(Placement, ScopesThatDifferAreNotIgnored) {
  auto model = placed("cpu:0", "cpu:1");
  try {
    model.compile({.optimizer = "sgd", .loss = "mse"});
    FAIL() << "compiled";
  } catch (const InvalidArgument& error) {
    EXPECT_STREQ(error.what(),
                 "compile: layers of 'placed' are placed on cpu:0 and cpu:1; running as placed is not built yet, give "
                 "a strategy");
  }
  EXPECT_NO_THROW(model.compile({.optimizer = "sgd", .loss = "mse", .strategy = distribute::SingleDevice("cpu:0")}));
}

TEST(Placement, ScopesThatAgreeAreFine) {
  EXPECT_NO_THROW(placed("cpu:0", "cpu:0").compile({.optimizer = "sgd", .loss = "mse"}));
}

}  // namespace
}  // namespace tandem
