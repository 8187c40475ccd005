// Ranks that bring what does not fit together, or make different calls, are told so, and go on.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <thread>

#include "tandem/comm/local_group.h"
#include "tandem/core/error.h"
#include "tandem/testing/message_of.h"

namespace tandem::comm {
namespace {

using testing::message_of;

// The message of each of n ranks that call `act`; afterwards the group must still work.
template <class Act>
std::vector<std::string> messages_of_ranks(int64_t n, Act act) {
  LocalGroup group(n, 30);
  std::vector<std::string> messages(static_cast<std::size_t>(n));
  std::vector<std::thread> threads;
  for (int64_t r = 0; r < n; ++r) {
    threads.emplace_back([&, r] {
      messages[static_cast<std::size_t>(r)] = message_of<InvalidArgument>([&] { act(group.rank(r)); });
      Tensor after = at::ones({2});
      group.rank(r).all_reduce(after);
      if (!at::equal(after, at::full({2}, static_cast<float>(n))))
        messages[static_cast<std::size_t>(r)] = "went on wrong";
    });
  }
  for (auto& thread : threads) thread.join();
  return messages;
}

TEST(Mismatch, TensorsThatDifferAreNamedOnEveryRank) {
  for (const auto algorithm : {Algorithm::automatic, Algorithm::ring, Algorithm::tree}) {
    for (const bool async : {false, true}) {
      const auto messages = messages_of_ranks(3, [&](Communicator& communicator) {
        Tensor mine = at::ones({communicator.rank() == 1 ? 5 : 4});
        if (async) {
          communicator.all_reduce_async(mine, {.algorithm = algorithm}).wait();
        } else {
          communicator.all_reduce(mine, {.algorithm = algorithm});
        }
      });
      const std::string call =
          algorithm == Algorithm::automatic ? "all_reduce" : c10::str("all_reduce by ", name_of(algorithm));
      const std::string four = "Float of sizes [4] and strides [1]", five = "Float of sizes [5] and strides [1]";
      EXPECT_EQ(messages[0], call + ": rank 0 brought " + four + ", rank 1 " + five + "; they must be equal");
      EXPECT_EQ(messages[1], call + ": rank 1 brought " + five + ", rank 0 " + four + "; they must be equal");
      EXPECT_EQ(messages[2], call + ": rank 2 brought " + four + ", rank 1 " + five + "; they must be equal");
    }
  }
}

TEST(Mismatch, TypesAndStridesMustBeEqualToo) {
  const auto types = messages_of_ranks(2, [](Communicator& communicator) {
    Tensor mine = at::ones({2}, communicator.rank() == 0 ? at::kFloat : at::kDouble);
    communicator.all_reduce(mine);
  });
  for (const auto& message : types) EXPECT_NE(message.find("Double"), std::string::npos) << message;
  const auto strides = messages_of_ranks(2, [](Communicator& communicator) {
    Tensor mine = communicator.rank() == 0 ? at::ones({2, 3}) : at::ones({3, 2}).t();
    communicator.broadcast(mine, 0);
  });
  for (const auto& message : strides) EXPECT_NE(message.find("strides [1, 2]"), std::string::npos) << message;
  const auto same = messages_of_ranks(2, [](Communicator& communicator) {
    Tensor mine =
        communicator.rank() == 0 ? at::ones({1, 3}) : at::ones({3, 1}).t();  // no two elements differ in place
    communicator.all_reduce(mine);
  });
  for (const auto& message : same) EXPECT_EQ(message, "nothing was thrown");
}

TEST(Mismatch, CallsThatDifferAreNamedOnEveryRank) {
  const auto messages = messages_of_ranks(2, [](Communicator& communicator) {
    Tensor mine = at::ones({4});
    if (communicator.rank() == 0) {
      communicator.broadcast(mine, 1);
    } else {
      communicator.barrier();
    }
  });
  EXPECT_EQ(messages[0],
            "broadcast from rank 1: rank 0 came to broadcast from rank 1, rank "
            "1 to barrier; they must make the same calls");
  EXPECT_EQ(messages[1],
            "barrier: rank 1 came to barrier, rank 0 to broadcast "
            "from rank 1; they must make the same calls");
}

}  // namespace
}  // namespace tandem::comm
