// States that go on from one call to the next.
#include "tandem/layers/kept_states.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "tandem/layers/gru.h"
#include "tandem/layers/input.h"
#include "tandem/layers/keras_case_test.h"
#include "tandem/layers/lstm.h"
#include "tandem/layers/recurrent_case_test.h"
#include "tandem/layers/recurrent_layer.h"

namespace tandem::layers {
namespace {

using namespace tandem::testing;

TEST(KeptStates, StatefulGoesOnFromCallToCall) {
  const LSTM stateful(3, {.stateful = true}), plain(3);
  draw_weights(stateful, {{2, 6, 2}});
  draw_weights(plain, {{-1, 6, 2}});
  const Tensor x = normal_numbers({2, 6, 2}, 1);
  KeptStates states;
  const CallContext context{.states = &states};
  stateful(x.slice(1, 0, 2), context);
  expect_close(stateful(x.slice(1, 2), context), plain(x), 1e-6, "in two parts");
  reset_states(stateful);
  stateful(x.slice(1, 0, 3), context);
  expect_close(stateful(x.slice(1, 3), context), plain(x), 1e-6, "after reset_states");
  expect_close(stateful(x, CallContext{}), plain(x), 1e-6, "without a place for states it begins with zeros");
}

TEST(KeptStates, StatefulKeepsTheStatesOfCallsByHand) {
  const GRU layer(3, {.stateful = true});
  draw_weights(layer, {{2, 4, 2}});
  const Tensor x = normal_numbers({2, 4, 2}, 1), first = layer(x);
  EXPECT_FALSE(at::allclose(layer(x), first));
  reset_states(layer);
  expect_close(layer(x), first, 0, "from zeros again");
}

TEST(KeptStates, StatefulRefusesOtherBatches) {
  const LSTM layer(3, {.stateful = true, .name = "s"});
  expect_refused([&] { layer(Input({4, 2})); }, {"'s'", "stateful", "batch", "(None, 4, 2)"});
  layer(Input({4, 2}, {.batch_size = 2}));
  KeptStates states;
  const CallContext context{.states = &states};
  layer(normal_numbers({2, 4, 2}, 1), context);
  expect_refused([&] { layer(normal_numbers({3, 4, 2}, 1), context); }, {"'s'", "stateful", "2 rows", "3"});
}

}  // namespace
}  // namespace tandem::layers
