#include "tandem/cluster/address.h"

#include <gtest/gtest.h>

#include "tandem/testing/message_of.h"

namespace tandem::cluster {
namespace {

using testing::message_of;

TEST(Address, HostAndPort) {
  EXPECT_EQ(Address::parse("a.b:2222", "x"), (Address{"a.b", 2222}));
  EXPECT_EQ(Address::parse("[::1]:80", "x"), (Address{"::1", 80}));
  EXPECT_EQ(Address::parse("[::1]:80", "x").to_string(), "[::1]:80");
  for (const char* text : {"", "a", ":1", "a:", "a:0", "a:65536", "a:1x", "::1:80", "[]:1", "a:-1"})
    EXPECT_EQ(message_of([&] { Address::parse(text, "X"); }).rfind("X", 0), 0U) << text;
  EXPECT_EQ(message_of([] { Address::parse("a:70000", "--master"); }),
            "--master, port of 'a:70000': must be from 1 to 65535, got 70000");
}

TEST(Address, ListsWithBlanksAndSeveralOnAHost) {
  EXPECT_EQ(parse_addresses("a:1, a:2 ,b:1", "x"), (std::vector<Address>{{"a", 1}, {"a", 2}, {"b", 1}}));
  EXPECT_EQ(message_of([] { parse_addresses("a:1,,b:1", "--worker_hosts"); }),
            "--worker_hosts: must be addresses with commas between, got an empty one");
  EXPECT_EQ(message_of([] { parse_addresses("a:1,b:1,a:1", "--worker_hosts"); }),
            "--worker_hosts: every process must have an address of its own, got a:1 twice");
}

}  // namespace
}  // namespace tandem::cluster
