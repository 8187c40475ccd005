#include "tandem/distribution/peers.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "tandem/core/error.h"
#include "tandem/testing/message_of.h"
#include "tandem/testing/thread_processes.h"

namespace tandem::distribute {
namespace {

using testing::run_processes;

TEST(PeerMessage, GivesBackWhatWasPut) {
  PeerMessage message;
  message.put(0.1);
  message.put(std::string("grad_norm"));
  message.put(std::string());
  message.put(std::vector<double>{1, -2});
  message.put(std::vector<double>());
  PeerMessage read(message.values());
  EXPECT_EQ(read.number(), 0.1);
  EXPECT_EQ(read.text(), "grad_norm");
  EXPECT_EQ(read.text(), "");
  EXPECT_EQ(read.numbers(), (std::vector<double>{1, -2}));
  EXPECT_TRUE(read.numbers().empty());
  EXPECT_EQ(testing::message_of<InternalError>([&] { read.number(); }),
            "PeerMessage: must hold what is asked for, but has ended");
}

TEST(Peers, GatherMessagesOfUnequalAndChangingLengths) {
  run_processes(3, [](auto processes) {
    Peers peers(processes);
    Peers::Topic topic;
    for (const int64_t longest : {0, 5, 2, 100}) {
      PeerMessage own;
      for (int64_t i = 0; i < longest * peers.rank(); ++i) own.put(static_cast<double>(100 * peers.rank() + i));
      const auto all = peers.gather(own, topic);
      ASSERT_EQ(all.size(), 3U);
      for (std::size_t p = 0; p < 3; ++p) {
        const auto& values = all[p].values();
        ASSERT_EQ(values.size(), static_cast<std::size_t>(longest) * p);
        for (std::size_t i = 0; i < values.size(); ++i) EXPECT_EQ(values[i], static_cast<double>(100 * p + i));
      }
    }
  });
}

TEST(Peers, JoinRowsInTheOrderOfTheProcesses) {
  run_processes(3, [](auto processes) {
    Peers peers(processes);
    const std::vector<int64_t> rows{2, 0, 3};
    for (const auto type : {at::kFloat, at::kLong, at::kBool}) {
      const Tensor all = at::arange(10).view({5, 2}).remainder(3).to(type);
      const std::vector<Tensor> parts = at::split_with_sizes(all, rows);
      EXPECT_TRUE(at::equal(peers.join_rows(parts[static_cast<std::size_t>(peers.rank())], rows), all));
    }
  });
}

TEST(Peers, OneThatFailedEndsTheOthersWaits) {
  std::string seen;
  run_processes(2, [&](auto processes) {
    Peers peers(processes);
    Peers::Topic topic;
    if (peers.rank() == 1) return peers.abort("rank 1 failed in step 3: no such file");
    seen = testing::message_of<PeerError>([&] { peers.gather({}, topic); });
  });
  EXPECT_NE(seen.find("rank 1 failed in step 3: no such file"), std::string::npos) << seen;
}

}  // namespace
}  // namespace tandem::distribute
