// Recurrent layers in configs of models: first states as keyword arguments, models within wrappers, states of fixed
// batches.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "tandem/core/random.h"
#include "tandem/layers/dense.h"
#include "tandem/layers/flatten.h"
#include "tandem/layers/input.h"
#include "tandem/layers/lstm.h"
#include "tandem/layers/time_distributed.h"
#include "tandem/network/chain.h"
#include "tandem/network/graph.h"
#include "tandem/network/network_config.h"
#include "tandem/network/stateful.h"
#include "tandem/testing/message_of.h"

namespace tandem {
namespace {

using namespace layers;

TEST(RecurrentConfig, FirstStatesAreAKeywordArgument) {
  const auto x = Input({5, 3}), h = Input({4}), c = Input({4});
  const Graph graph({x, h, c}, LSTM(4, {.name = "l"})({x, h, c}));
  const Config entry = graph.get_config().at("layers").as_list().back();
  const Config call = entry.at("inbound_nodes").as_list().front();
  EXPECT_EQ(call.at("args").as_list().size(), 1U);
  EXPECT_EQ(call.at("kwargs").as_object().size(), 1U);
  EXPECT_EQ(call.at("kwargs").at("initial_state").as_list().size(), 2U);
  const Config built = entry.at("build_config").at("shapes_dict");
  EXPECT_EQ(built.at("sequences_shape").to_json(), "[null,5,3]");
  EXPECT_EQ(built.at("initial_state_shape").to_json(), "[[null,4],[null,4]]");

  const auto read = network_from_json(network_to_json(graph));
  EXPECT_EQ(network_to_json(*read), network_to_json(graph));
  read->set_weights(graph.get_weights());
  const Tensors values{RandomStream(1).normal({2, 5, 3}), RandomStream(2).normal({2, 4}),
                       RandomStream(3).normal({2, 4})};
  auto& ours = const_cast<Graph&>(graph);
  EXPECT_TRUE(at::equal(read->call_many(values, {})[0], ours.call_many(values, {})[0]));
}

TEST(RecurrentConfig, AModelAtEachStep) {
  auto inner = std::make_shared<Chain>();
  inner->set_name("inner");
  inner->add(Input({2, 3}));
  inner->add(Flatten());
  inner->add(Dense(4));
  const auto x = Input({5, 2, 3});
  const Graph graph(x, TimeDistributed(LayerHandle(inner), {.name = "each"})(x));
  const auto read = network_from_json(network_to_json(graph));
  EXPECT_EQ(network_to_json(*read), network_to_json(graph));
  EXPECT_EQ(read->layers().back()->children()[0]->class_name(), "Sequential");
}

TEST(RecurrentConfig, AnErrorWithinAWrapperNamesItsPlace) {
  const auto x = Input({5, 3});
  Config entry = Config::from_json(network_to_json(Graph(x, TimeDistributed(Dense(4), {.name = "each"})(x))));
  std::string text = entry.to_json();
  text.replace(text.find("\"Dense\""), 7, "\"Denso\"");
  const auto message = testing::message_of<DataError>([&] { network_from_json(text); });
  for (const char* word : {"'each'", "layer", "Denso", "Dense"})
    EXPECT_NE(message.find(word), std::string::npos) << message;
}

TEST(FixedBatch, IsThatOfTheStatefulLayer) {
  const auto x = Input({5, 3}, {.batch_size = 4});
  const Graph stateful(x, Dense(2)(LSTM(4, {.stateful = true})(x))), plain(x, LSTM(4)(x));
  EXPECT_EQ(fixed_batch(stateful), 4);
  EXPECT_EQ(fixed_batch(plain), 0);
  EXPECT_NO_THROW(check_batches(plain, "fit", 32, 10, -1, false));
  EXPECT_NO_THROW(check_batches(stateful, "fit", 4, 12, -1, false));
  EXPECT_NO_THROW(check_batches(stateful, "fit", 4, 10, -1, true));
  EXPECT_NO_THROW(check_batches(stateful, "fit", 4, 10, 2, false));
  EXPECT_THROW(check_batches(stateful, "fit", 4, 10, 3, false), InvalidArgument);
  EXPECT_THROW(check_batches(stateful, "fit", 8, 16, -1, false), InvalidArgument);
}

}  // namespace
}  // namespace tandem
