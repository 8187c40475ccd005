#include "tandem/servers/frame.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cstring>

#include "tandem/servers/push_parts.h"
#include "tandem/servers/shared_blocks.h"
#include "tandem/testing/message_of.h"

namespace tandem::servers {
namespace {

TEST(Frame, SharesItsMemoryAndKeepsIt) {
  auto values = at::ones({4});
  const void* memory = values.const_data_ptr();
  const auto frame = Frame::of(values);
  values.reset();
  EXPECT_EQ(frame.data(), memory);
  Tensor floats = frame.floats();
  EXPECT_EQ(floats.const_data_ptr(), memory);
  EXPECT_TRUE(floats.equal(at::ones({4})));
}

TEST(Frame, CopiesValuesThatLieBetweenMultiplesOfFour) {
  const auto values = at::arange(3).to(at::kFloat);
  auto text = std::make_shared<std::string>(13, '\0');
  std::memcpy(text->data() + 1, values.const_data_ptr(), 12);
  EXPECT_TRUE(Frame(text->data() + 1, 12, text).floats().equal(values));
}

TEST(SharedBlocks, UseMemoryAgainWhenNobodyHoldsIt) {
  SharedBlocks shared(2, 4);
  const auto values = at::arange(3).to(at::kFloat);
  Tensor held = shared.copy_of(1, values);
  EXPECT_EQ(shared.copy_of(1, at::zeros({3})).data_ptr(), held.data_ptr());  // the same version
  shared.forget(1);
  EXPECT_NE(shared.copy_of(1, at::zeros({3})).data_ptr(), held.data_ptr());
  EXPECT_TRUE(held.equal(values));
  const void* memory = held.const_data_ptr();
  held.reset();
  shared.forget(1);
  EXPECT_EQ(shared.copy_of(1, values).const_data_ptr(), memory);
  EXPECT_EQ(shared.buffers(), 2);
}

TEST(PushParts, AreCompleteWithAllBlocksOfOnePush) {
  PushParts parts(2);
  const Push push{.id = 3, .version = 1, .gradient = at::ones({1})};
  EXPECT_TRUE(parts.add(1, push));
  EXPECT_FALSE(parts.add(1, push));
  EXPECT_FALSE(parts.complete());
  auto other = push;
  other.id = 4;
  EXPECT_NE(testing::message_of<DataError>([&] { parts.add(0, other); }).find("must go with push 3"),
            std::string::npos);
  EXPECT_TRUE(parts.add(0, push));
  EXPECT_TRUE(parts.complete());
  parts.clear();
  EXPECT_TRUE(parts.empty());
}

}  // namespace
}  // namespace tandem::servers
