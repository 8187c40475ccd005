#include "tandem/servers/server_message.h"

#include <gtest/gtest.h>

#include <limits>

#include "tandem/servers/plan_test.h"
#include "tandem/servers/server_figures.h"
#include "tandem/testing/message_of.h"

namespace tandem::servers {
namespace {

using testing::message_of;

const Header kPush{.kind = Kind::push, .worker = 1, .id = 7, .block = 3, .version = 5, .rows = 32, .rate = 0.1};

TEST(ServerMessage, HeadersAreTheSameBehindTheirBytes) {
  const auto bytes = encode(kPush);
  EXPECT_EQ(decode_header(bytes), kPush);
  for (std::size_t n = 0; n < bytes.size(); ++n) EXPECT_FALSE(decode_header(bytes.substr(0, n)));
  EXPECT_FALSE(decode_header(bytes + "x"));
  auto wrong = kPush;
  wrong.block = -1;
  EXPECT_FALSE(decode_header(encode(wrong)));
  wrong = kPush;
  wrong.rate = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(decode_header(encode(wrong)));
  wrong = kPush;
  wrong.kind = static_cast<Kind>(200);
  EXPECT_FALSE(decode_header(encode(wrong)));
}

TEST(ServerMessage, BlocksMustBeTheServersAndOfTheirSize) {
  const auto plan = plan_of("SGD", Config::object(), {.workers = 2}, 2, 64);
  EXPECT_NO_THROW(check_block(kPush, 64, plan, 0));
  EXPECT_EQ(message_of<DataError>([&] { check_block(kPush, 60, plan, 0); }),
            "message of worker 1: block 3 must have 64 bytes, got 60");
  EXPECT_EQ(message_of<DataError>([&] { check_block(kPush, 64, plan, 1); }),
            "message of worker 1: block must be from 4 to 7, got 3");
  auto other = kPush;
  other.worker = 2;
  EXPECT_THROW(check_block(other, 64, plan, 0), DataError);
}

TEST(ServerFigures, CountStalenessByValue) {
  ServerFigures figures{.updates = 3};
  for (const int64_t staleness : {0, 2, 2, 5000}) figures.count(staleness);
  EXPECT_EQ(figures.by_staleness[0], 1);
  EXPECT_EQ(figures.by_staleness[2], 2);
  EXPECT_EQ(figures.max_staleness, 5000);
  EXPECT_EQ(figures.mean_staleness(), 5004 / 4.0);
  EXPECT_EQ(ServerFigures::decode(figures.encode()), figures);
  EXPECT_THROW(ServerFigures::decode("figures"), DataError);
}

}  // namespace
}  // namespace tandem::servers
