#include "tandem/cluster/host_list.h"

#include <gtest/gtest.h>

#include "tandem/testing/message_of.h"

namespace tandem::cluster {
namespace {

using testing::message_of;
using Names = std::vector<std::string>;

TEST(HostList, ExpandsSlurmsShortForm) {
  EXPECT_EQ(expand_hosts("login", "list"), (Names{"login"}));
  EXPECT_EQ(expand_hosts("node[01-03,07],login", "list"), (Names{"node01", "node02", "node03", "node07", "login"}));
  EXPECT_EQ(expand_hosts("n[8-11]", "list"), (Names{"n8", "n9", "n10", "n11"}));
  EXPECT_EQ(expand_hosts("r[0-1]n[1-2]-x", "list"), (Names{"r0n1-x", "r0n2-x", "r1n1-x", "r1n2-x"}));
  EXPECT_EQ(expand_hosts("[1-2]", "list"), (Names{"1", "2"}));
}

TEST(HostList, ExpandsCounts) {
  EXPECT_EQ(expand_counts("2(x3),1", "list"), (std::vector<int64_t>{2, 2, 2, 1}));
  EXPECT_EQ(expand_counts("4", "list"), (std::vector<int64_t>{4}));
}

TEST(HostList, RefusesWhatItCannotRead) {
  for (const char* text : {"", "a,,b", "a[1-2", "a1-2]", "a[[1]]", "a[]", "a[1-x]", "a[-3]"})
    EXPECT_EQ(message_of([&] { expand_hosts(text, "LIST"); }).rfind("LIST: ", 0), 0U) << text;
  EXPECT_EQ(message_of([] { expand_hosts("a[3-1]", "LIST"); }), "LIST: a range must rise, got '3-1'");
  EXPECT_EQ(message_of([] { expand_counts("2(x", "LIST"); }), "LIST: must be a whole number of at least 0, got '2(x'");
}

TEST(HostList, TakesNoMemoryForHugeRanges) {
  const std::string must = "LIST: must name at most 65536 hosts, got more";
  EXPECT_EQ(message_of([] { expand_hosts("a[0-9999999999]", "LIST"); }), must);
  EXPECT_EQ(message_of([] { expand_hosts("a[0-9999]b[0-9999]", "LIST"); }), must);
  EXPECT_EQ(message_of([] { expand_counts("1(x9999999999)", "LIST"); }), must);
}

}  // namespace
}  // namespace tandem::cluster
