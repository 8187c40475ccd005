// ZeRO 3 in stages and without, over processes that do not share memory.
#include <c10/util/StringUtil.h>
#include <gtest/gtest.h>

#include "tandem/distribution/mesh.h"
#include "tandem/distribution/single_device.h"
#include "tandem/layers/add.h"
#include "tandem/layers/concatenate.h"
#include "tandem/layers/dense.h"
#include "tandem/layers/input.h"
#include "tandem/layers/regularizers.h"
#include "tandem/model/hosts_case_test.h"
#include "tandem/optimizers/adam.h"

namespace tandem {
namespace {

using namespace layers;
using namespace parity;
using distribute::Mesh;
using distribute::SingleDevice;

// A layer that stages share, with a penalty, and values that go past stages.
Model tied_over_hosts() {
  const auto x = Input({6});
  const Dense shared(6, {.activation = "tanh", .kernel_regularizer = regularizers::L2(0.01)});
  const auto a = shared(x);
  const auto b = Dense(6, {.activation = "relu"})(a);
  return Model(x, Dense(3, {.activation = "softmax"})(Concatenate()({Add()({a, shared(b)}), x})));
}

// Ranks that speak by Gloo alone, and two hosts of two; some batches have rows for one replica only.
TEST(StagedZeroHosts, GiveTheNumbersOfOneDevice) {
  const Task task{tied_over_hosts,
                  {.optimizer = optimizers::Adam({.learning_rate = 0.01}), .loss = "categorical_crossentropy"},
                  normal({17, 6}, 1),
                  one_hot(17, 3, 2),
                  {.batch_size = 8, .epochs = 2}};
  const auto one = train_with(task, {1, 1},
                              [](const distribute::ProcessGroup&, const Devices&) { return SingleDevice("cpu:0"); })[0];
  for (const auto& begins : {std::vector<int64_t>{0, 1, 2, 3, 4}, {0, 2, 4}}) {
    for (const int64_t pipe : {1, 2, 4}) {
      SCOPED_TRACE(c10::str(begins.size() - 1, " hosts, pipe ", pipe));
      const auto all = train_on_hosts(task, begins, [&](const distribute::ProcessGroup& group, const Devices& own) {
        return Mesh(
            {.devices = own, .group = group, .data = 4 / pipe, .pipe = pipe, .zero = 3, .threads_per_device = 1});
      });
      for (const auto& got : all) expect_same(got, one);
    }
  }
}

}  // namespace
}  // namespace tandem
