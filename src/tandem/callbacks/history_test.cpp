#include "tandem/callbacks/history.h"

#include <gtest/gtest.h>

#include "tandem/callbacks/callback.h"
#include "tandem/callbacks/callback_list.h"
#include "tandem/testing/message_of.h"

namespace tandem {
namespace {

using testing::message_of;

TEST(History, CollectsSeriesByName) {
  History history;
  history.append(2, Logs({{"loss", 1.5}, {"accuracy", 0.25}}));
  history.append(3, Logs({{"loss", 1.0}, {"accuracy", 0.5}, {"val_loss", 2.0}}));
  EXPECT_EQ(history["loss"], (std::vector<double>{1.5, 1.0}));
  EXPECT_EQ(history["val_loss"], (std::vector<double>{2.0}))
      << "validation every second epoch has a shorter list, as in Keras";
  EXPECT_EQ(history.epoch(), (std::vector<int64_t>{2, 3}));
  ASSERT_EQ(history.by_epoch().size(), 2u);
  EXPECT_EQ(history.by_epoch()[1].epoch, 3);
  EXPECT_EQ(history.by_epoch()[1].figures["val_loss"], 2.0);
  EXPECT_FALSE(history.by_epoch()[0].figures.contains("val_loss"));
  EXPECT_EQ(history.count("accuracy"), 1);
  EXPECT_EQ(history.count("auc"), 0);
  EXPECT_EQ(history.series()[0].first, "loss");
  EXPECT_NE(message_of([&] { history["los"]; }).find("'loss'"), std::string::npos);
}

TEST(History, FactsByRank) {
  History history;
  History::Facts facts;
  facts.rows = {10, 6};
  facts.bytes_sent = {100, 200};
  history.set_facts(facts);
  EXPECT_EQ(history.rows_per_device(), (std::vector<int64_t>{10, 6}));
  EXPECT_EQ(history.bytes_sent(1), 200);
  EXPECT_EQ(message_of([&] { history.bytes_sent(2); }), "history: rank must be in [0, 2), got 2");
  EXPECT_FALSE(history.interrupted());
}

TEST(CallbackList, CallsInOrderAndSharesTheLogs) {
  struct Doubles : Callback {
    void on_epoch_end(int64_t epoch, Logs& logs) override { logs.set("x", 2 * logs["x"] + static_cast<double>(epoch)); }
  };
  const CallbackList list({std::make_shared<Doubles>(), std::make_shared<Doubles>()});
  Logs logs({{"x", 1.0}});
  list.each(&Callback::on_epoch_end, 3, logs);
  EXPECT_EQ(logs["x"], 13);  // 2 (2 1 + 3) + 3
  EXPECT_TRUE(CallbackList().empty());
}

}  // namespace
}  // namespace tandem
