#include "tandem/servers/client_blocks.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "tandem/servers/plan_test.h"

namespace tandem::servers {
namespace {

TEST(ClientBlocks, OneAnswerAQuestion) {
  const auto plan = plan_of("SGD", Config::object(), {}, 2, 1 << 20);
  ClientBlocks blocks(plan);
  const auto values = at::arange(64).to(at::kFloat);
  blocks.ask({.kind = Kind::push, .id = 1, .block = 1}, {Frame::of(values)});
  EXPECT_TRUE(blocks.waits(1));
  EXPECT_EQ(blocks.first_missing(0), -1);
  EXPECT_EQ(blocks.first_missing(1), 1);
  EXPECT_EQ(blocks.unanswered(1).at(0).payload.at(0).data(), values.const_data_ptr());
  const Header answer{.kind = Kind::params, .id = 1, .block = 1, .version = 7};
  auto other = answer;
  other.id = 2;
  blocks.answer(other, Frame::of(values), 1);
  other = answer;
  other.outcome = Outcome::pulled;
  blocks.answer(other, Frame::of(values), 1);
  EXPECT_FALSE(blocks.any_arrived(Kind::params));
  EXPECT_THROW(blocks.answer(answer, Frame::of(values), 0), DataError);
  EXPECT_THROW(blocks.answer(answer, Frame::of("short"), 1), DataError);
  blocks.answer(answer, Frame::of(values), 1);
  blocks.answer(answer, Frame::of(values), 1);
  const auto arrived = blocks.take_arrived(Kind::params);
  ASSERT_EQ(arrived.size(), 1);
  EXPECT_FALSE(blocks.is_asked(1));
  EXPECT_EQ(blocks.bytes_sent(), 256);
  EXPECT_EQ(blocks.bytes_received(), 256);
  // The next gradient is made of what was given.
  EXPECT_EQ(blocks.ask({.kind = Kind::push, .id = 2, .block = 1}, {}).header.version, 7);
  Tensor flat = at::zeros({128});
  ClientBlocks::write(arrived[0].values, blocks.part(flat, 1));
  EXPECT_TRUE(flat.narrow(0, 64, 64).equal(values));
}

// Some answers came before a connection broke, and newer ones for those that were lost.
TEST(ClientBlocks, AGradientIsOfTheOldestVersionThatAnyOfItsBlocksHas) {
  for (const auto mode : {ServerMode::async, ServerMode::sync}) {
    const auto plan = plan_of("SGD", Config::object(), {.mode = mode}, 2, 64);
    ClientBlocks blocks(plan);
    const auto last = plan.first_block(1) - 1;
    const auto answer = [&](int64_t b, int64_t version) {
      blocks.answer({.kind = Kind::params, .id = 1, .block = b, .version = version},
                    Frame::of(at::zeros({plan.block_elements(b)})), plan.server_of(b));
    };
    for (int64_t b = 0; b < plan.blocks(); ++b) blocks.ask({.kind = Kind::push, .id = 1, .block = b}, {});
    for (int64_t b = 0; b < plan.blocks(); ++b) answer(b, b == last ? 3 : 8);
    blocks.take_arrived(Kind::params);
    const auto version = [&](int64_t b) {
      return blocks.ask({.kind = Kind::push, .id = 2, .block = b}, {}).header.version;
    };
    // In sync blocks are updated each by itself.
    EXPECT_EQ(version(0), mode == ServerMode::sync ? 8 : 3);
    EXPECT_EQ(version(last), 3);
    EXPECT_EQ(version(last + 1), 8);  // another server's
  }
}

}  // namespace
}  // namespace tandem::servers
