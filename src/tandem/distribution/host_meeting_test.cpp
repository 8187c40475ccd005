#include "tandem/distribution/host_meeting.h"

#include <gtest/gtest.h>

#include <thread>

#include "tandem/testing/message_of.h"

namespace tandem::distribute {
namespace {

TEST(HostMeeting, WorkIsDoneOnceWhenAllHaveCome) {
  HostMeeting meeting(3);
  meeting.expect({true, false, true});
  std::vector<int> come(3, 0);
  int works = 0, seen = 0;
  const auto visit = [&](std::size_t rank) {
    for (int time = 0; time < 100; ++time) {
      ++come[rank];
      meeting.meet(static_cast<int64_t>(rank), "work", [&] {
        ++works;
        seen += come[0] == works && come[2] == works;
      });
    }
  };
  std::thread other([&] { visit(2); });
  visit(0);
  other.join();
  EXPECT_EQ(works, 100);
  EXPECT_EQ(seen, 100);
}

TEST(HostMeeting, WhoIsMissingIsNamed) {
  HostMeeting meeting(3, 0.05);
  EXPECT_EQ(testing::message_of<PeerError>([&] { meeting.meet(1, "layer 'a' on the host", [] {}); }),
            "rank 1: waited 0.05 s at layer 'a' on the host for rank 0, 2");
}

TEST(HostMeeting, AbortEndsWaitsUntilTheNextStep) {
  HostMeeting meeting(2);
  std::thread other([&] { meeting.abort("rank 1 failed"); });
  EXPECT_EQ(testing::message_of<PeerError>([&] { meeting.meet(0, "a", [] {}); }), "rank 0: stopped, rank 1 failed");
  other.join();
  EXPECT_THROW(meeting.meet(0, "a", [] {}), PeerError);
  meeting.expect({true, false});
  bool worked = false;
  meeting.meet(0, "a", [&] { worked = true; });
  EXPECT_TRUE(worked);
}

TEST(HostMeeting, RanksThatComeForOtherWorkAreRefused) {
  HostMeeting meeting(2);
  std::vector<std::string> messages(2);
  const auto come = [&](std::size_t rank, const char* what) {
    messages[rank] = testing::message_of<Error>([&] { meeting.meet(static_cast<int64_t>(rank), what, [] {}); });
    meeting.abort("the other went elsewhere");
  };
  std::thread other([&] { come(0, "a"); });
  come(1, "b");
  other.join();
  const std::string refused = "; every replica must call the model in the same order";
  const std::size_t second = messages[0].ends_with(refused) ? 0 : 1;
  EXPECT_EQ(messages[second], (second == 0 ? "rank 0: came for a where others came for b"
                                           : "rank 1: came for b where others came for a") +
                                  refused);
  EXPECT_EQ(messages[1 - second], "rank " + std::to_string(1 - second) + ": stopped, the other went elsewhere");
}

}  // namespace
}  // namespace tandem::distribute
