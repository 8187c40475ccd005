#include "tandem/cluster/interface.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "tandem/core/error.h"
#include "tandem/testing/message_of.h"

namespace tandem::cluster {
namespace {

using testing::message_of;

TEST(Interface, IsFoundByNameAndPattern) {  // U40
  EXPECT_EQ(find_interface("lo", "TANDEM_INTERFACE").address, "127.0.0.1");
  EXPECT_EQ(find_interface("nope0, lo", "TANDEM_INTERFACE").name, "lo");
  EXPECT_EQ(find_interface("l[no]", "TANDEM_INTERFACE").name, "lo");
}

TEST(Interface, ThatIsNotThereIsToldWhichAre) {  // U40
  std::string list;
  for (const auto& one : interfaces()) list += (list.empty() ? "" : ", ") + one.name + " (" + one.address + ")";
  EXPECT_NE(list.find("lo (127.0.0.1)"), std::string::npos) << list;
  EXPECT_EQ(message_of<InvalidArgument>([] { find_interface("nope0", "GLOO_SOCKET_IFNAME"); }),
            "GLOO_SOCKET_IFNAME: no network interface is called 'nope0'; there are " + list);
}

TEST(Interface, AddressOnTheWayToAHost) {
  EXPECT_EQ(address_toward("127.0.0.1"), "127.0.0.1");
  EXPECT_EQ(address_toward("no.such.host.invalid"), "");
  for (const auto& one : interfaces()) EXPECT_EQ(address_toward(one.address), one.address);
}

}  // namespace
}  // namespace tandem::cluster
