// Keys of a meeting point: over sockets, with and without a job key.
#include <gtest/gtest.h>

#include <thread>

#include "tandem/comm/meeting_point.h"
#include "tandem/comm/meeting_store.h"
#include "tandem/comm/meeting_table.h"
#include "tandem/testing/message_of.h"

namespace tandem::comm {
namespace {

using std::chrono::milliseconds;
using testing::message_of;

c10::intrusive_ptr<MeetingStore> store_at(const MeetingPoint& point, const std::optional<JobKey>& key = {},
                                          milliseconds limit = milliseconds(5000)) {
  return c10::make_intrusive<MeetingStore>("127.0.0.1", point.port(), key, limit);
}

TEST(Meeting, KeysAsC10dHasThem) {
  for (const auto& key : {std::optional<JobKey>(), std::optional(JobKey::fresh())}) {
    const MeetingPoint point("127.0.0.1", 0, key);
    const auto a = store_at(point, key), b = store_at(point, key);
    a->set("x", std::string("one"));
    EXPECT_EQ(b->get_to_str("x"), "one");
    EXPECT_EQ(b->add("n", 5), 5);
    EXPECT_EQ(a->add("n", -2), 3);
    EXPECT_EQ(a->get_to_str("n"), "3");
    EXPECT_TRUE(a->check({"x", "n"}));
    EXPECT_FALSE(a->check({"x", "y"}));
    EXPECT_EQ(a->getNumKeys(), 2);
    EXPECT_TRUE(b->deleteKey("x"));
    EXPECT_FALSE(b->deleteKey("x"));
    EXPECT_EQ(a->compareSet("c", std::string(), std::string("first")), "first");
    EXPECT_EQ(b->compareSet("c", std::string("other"), std::string("second")), "first");
    EXPECT_EQ(b->compareSet("c", std::string("first"), std::string("second")), "second");
    EXPECT_EQ(a->clone()->get({"c"}), (std::vector<uint8_t>{'s', 'e', 'c', 'o', 'n', 'd'}));
  }
}

TEST(Meeting, WaitsForKeysThatComeLater) {
  const MeetingPoint point("127.0.0.1", 0, {});
  const auto a = store_at(point), b = store_at(point);
  std::thread later([&] {
    std::this_thread::sleep_for(milliseconds(100));
    b->set("late", std::string("v"));
    b->set("later", std::string("w"));
  });
  a->wait({"late", "later"});
  EXPECT_EQ(a->get_to_str("late"), "v");
  later.join();
}

TEST(Meeting, ComesBeforeTheMeetingPoint) {
  const auto port = [] { return MeetingPoint("127.0.0.1", 0, {}).port(); }();
  const auto early = c10::make_intrusive<MeetingStore>("127.0.0.1", port, std::nullopt, milliseconds(5000));
  std::thread asks([&] { early->set("x", std::string("1")); });
  std::this_thread::sleep_for(milliseconds(100));
  const MeetingPoint point("127.0.0.1", port, {});
  asks.join();
  EXPECT_EQ(store_at(point)->get_to_str("x"), "1");
}

TEST(Meeting, NamesWhatDidNotCome) {
  const MeetingPoint point("127.0.0.1", 0, {});
  const auto store = store_at(point, {}, milliseconds(50));
  store->set("here", std::string("1"));
  const auto where = "meeting at 127.0.0.1:" + std::to_string(point.port());
  EXPECT_EQ(message_of<PeerError>([&] { store->get("nothing"); }), where + ": nobody has set 'nothing' within 0.05 s");
  EXPECT_EQ(message_of<PeerError>([&] {
              store->wait({"here", "rank 1", "rank 3"}, milliseconds(20));
            }),
            where + ": nobody has set 'rank 1', 'rank 3' within 0.02 s");
}

TEST(Meeting, AnswersNobodyWithoutTheKey) {
  const auto key = JobKey::fresh();
  const MeetingPoint point("127.0.0.1", 0, key);
  // No key, and another one: neither is answered.
  for (const auto& wrong : {std::optional<JobKey>(), std::optional(JobKey::fresh())}) {
    const auto store = store_at(point, wrong, milliseconds(100));
    EXPECT_NE(message_of<PeerError>([&] { store->set("x", std::string("1")); }).find("no answer within 1 s"),
              std::string::npos);
  }
  EXPECT_EQ(store_at(point, key)->getNumKeys(), 0);
}

TEST(Meeting, ListensBeyondLoopbackOnlyWithAKey) {
  EXPECT_EQ(message_of([] { MeetingPoint("example.org", 0, {}); }),
            "meeting at example.org:0: a job key (TANDEM_JOB_KEY) must be set to listen beyond loopback");
  const MeetingPoint taken("127.0.0.1", 0, {});
  EXPECT_EQ(message_of([&] { MeetingPoint("127.0.0.1", taken.port(), {}); }),
            "meeting at 127.0.0.1:" + std::to_string(taken.port()) + ": cannot listen there: Address already in use");
}

TEST(Meeting, MessagesOfAnyBytes) {
  const MeetingRequest request{.ask = Ask::set, .number = 7, .value = std::string("a\0b", 3), .keys = {"k", ""}};
  const auto bytes = encode(request);
  const auto read = decode_request(bytes);
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->value, request.value);
  EXPECT_EQ(read->keys, request.keys);
  for (std::size_t n = 0; n < bytes.size(); ++n) decode_request(bytes.substr(0, n));  // must not read beyond
  std::string huge = bytes;
  huge[25] = huge[26] = huge[31] = '\x7f';  // the length of the value
  EXPECT_FALSE(decode_request(huge).has_value());
  EXPECT_FALSE(decode_request("").has_value());
}

TEST(JobKey, IsAPairOfTexts) {
  const auto key = JobKey::fresh();
  EXPECT_EQ(JobKey::of_secret(key.secret).open, key.open);
  EXPECT_NE(JobKey::fresh().secret, key.secret);
  EXPECT_EQ(message_of([] { JobKey::of_secret("abc"); }), "job key: must be a secret key of 40 characters (Z85)");
}

}  // namespace
}  // namespace tandem::comm
