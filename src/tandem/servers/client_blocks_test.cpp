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

}  // namespace
}  // namespace tandem::servers
