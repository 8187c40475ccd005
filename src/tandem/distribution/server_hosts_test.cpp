#include "tandem/distribution/server_hosts.h"

#include <gtest/gtest.h>

#include "tandem/testing/message_of.h"

namespace tandem::distribute {
namespace {

using testing::message_of;
using Numbers = std::vector<int64_t>;

std::vector<cluster::Address> at(const std::vector<std::string>& hosts) {
  std::vector<cluster::Address> addresses;
  for (std::size_t i = 0; i < hosts.size(); ++i) addresses.push_back({hosts[i], 3000 + static_cast<int64_t>(i)});
  return addresses;
}

TEST(ServerHosts, AProcessHasTheServerOfItsHost) {
  EXPECT_EQ(servers_of_processes({"a:1", "b:1"}, at({"b", "a", "b"}), 3), (Numbers{1, 0, 1}));
  EXPECT_EQ(servers_of_processes({"[fd00::1]:1", "b:1"}, at({"b", "fd00::1"}), 2), (Numbers{1, 0}));
  EXPECT_EQ(message_of([] {
              servers_of_processes({"a:1", "b:1"}, at({"b", "a", "c"}), 3);
            }),
            "ParameterServer: each worker must have a server on its host with server_sync, but c:3002 has none");
  EXPECT_EQ(message_of([] {
              servers_of_processes({"a:1", "b:1"}, at({"b", "b"}), 2);
            }),
            "ParameterServer: each server must have a worker on its host with server_sync, but a:1 has none");
}

TEST(ServerHosts, NeighboursShareOneWhereNamesDoNotSay) {
  EXPECT_EQ(servers_of_processes({"a:1", "a:2"}, at({"a", "a", "a", "a"}), 4), (Numbers{0, 0, 1, 1}));
  EXPECT_EQ(servers_of_processes({"a:1", "b:1"}, {}, 4), (Numbers{0, 0, 1, 1}));
  EXPECT_EQ(message_of([] {
              servers_of_processes({"a:1", "b:1"}, {}, 3);
            }),
            "ParameterServer: processes must be a multiple of the servers with server_sync, got 3 for 2 servers");
}

}  // namespace
}  // namespace tandem::distribute
