// Messages between two ranks.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "tandem/comm/local_group.h"
#include "tandem/core/error.h"
#include "tandem/testing/message_of.h"
#include "tandem/testing/run_ranks.h"

namespace tandem::comm {
namespace {

using testing::message_of;
using testing::run_ranks;

void receive(Communicator& communicator, const Tensor& want, int64_t from, int64_t tag = 0) {
  Tensor got = at::zeros_like(want);
  communicator.recv(got, from, tag);
  if (!at::equal(got, want)) throw InternalError(c10::str("not the message from ", from, " with tag ", tag));
}

TEST(Messages, EverySizeAndTypeArrives) {
  run_ranks(2, [](Communicator& communicator) {
    for (const int64_t count : {0, 1, 1000, 3'000'000}) {
      for (const auto type : {at::kBool, at::kByte, at::kFloat, at::kComplexDouble}) {
        const Tensor x = at::arange(count).remainder(2).to(type);
        if (communicator.rank() == 0) communicator.send(x, 1);
        if (communicator.rank() == 1) receive(communicator, x, 0);
      }
    }
  });
}

TEST(Messages, OneWhoSendsMayChangeItsTensorAtOnce) {
  run_ranks(2, [](Communicator& communicator) {
    Tensor x = at::zeros({2000});
    for (int i = 0; i < 200; ++i) {
      if (communicator.rank() == 0) {
        x.fill_(static_cast<double>(i));
        communicator.send(x, 1);
        x.fill_(-1.0);
      } else {
        if (i % 10 == 0) std::this_thread::sleep_for(std::chrono::microseconds(200));
        receive(communicator, at::full({2000}, static_cast<float>(i)), 0);
      }
    }
  });
}

TEST(Messages, TagsAreToldApartAndEachKeepsItsOrder) {
  run_ranks(2, [](Communicator& communicator) {
    const auto message = [](int64_t tag, int64_t i) { return at::full({10}, static_cast<double>(100 * tag + i)); };
    if (communicator.rank() == 0) {
      for (int64_t i = 0; i < 5; ++i) {
        for (const int64_t tag : {1, 2, 3}) communicator.send(message(tag, i), 1, tag);
      }
    } else {
      for (const int64_t tag : {3, 1, 2}) {
        for (int64_t i = 0; i < 5; ++i) receive(communicator, message(tag, i), 0, tag);
      }
    }
  });
}

TEST(Messages, AllRanksSendBeforeAnyReceives) {
  for (int64_t n = 2; n <= 8; ++n) {
    run_ranks(n, [n](Communicator& communicator) {
      const int64_t me = communicator.rank();
      for (int round = 0; round < 5; ++round) {
        for (int64_t other = 0; other < n; ++other) {
          if (other != me) communicator.send(at::full({500}, static_cast<double>(n * me + other)), other);
        }
        for (int64_t other = 0; other < n; ++other) {
          if (other != me) receive(communicator, at::full({500}, static_cast<float>(n * other + me)), other);
        }
      }
    });
  }
}

TEST(Messages, ASenderThatIsFarAheadWaits) {
  run_ranks(2, [](Communicator& communicator) {
    constexpr int64_t kMany = 400;
    for (int64_t i = 0; i < kMany; ++i) {
      if (communicator.rank() == 0) {
        communicator.send(at::full({100}, static_cast<double>(i)), 1);
      } else {
        if (i == 0) std::this_thread::sleep_for(std::chrono::milliseconds(30));
        receive(communicator, at::full({100}, static_cast<float>(i)), 0);
      }
    }
  });
  LocalGroup group(2, 0.2);
  const Tensor x = at::ones({100});
  std::string message;
  for (int i = 0; i < 1000 && message.find("waited") == std::string::npos; ++i)
    message = message_of<PeerError>([&] { group.rank(0).send(x, 1, 7); });
  EXPECT_NE(message.find("waited 0.2 s in send of message with tag 7 for rank 1"), std::string::npos) << message;
}

TEST(Messages, OneThatDoesNotFitIsNamed) {
  run_ranks(2, [](Communicator& communicator) {
    for (const bool receiver_first : {false, true}) {
      communicator.barrier();
      if (communicator.rank() == 0) {
        if (receiver_first) std::this_thread::sleep_for(std::chrono::milliseconds(20));
        communicator.send(at::ones({2, 3}), 1);
        communicator.send(at::ones({3}), 1);
      }
      if (!receiver_first) communicator.barrier();
      if (communicator.rank() == 1) {
        Tensor wrong = at::ones({3, 2});
        const auto message = message_of<InvalidArgument>([&] { communicator.recv(wrong, 0); });
        if (message !=
            "recv on rank 1: rank 0 sent Float of sizes [2, 3] and strides [3, "
            "1], but must fill Float of sizes [3, 2] and "
            "strides [2, 1]")
          throw InternalError(message);
        receive(communicator, at::ones({3}), 0);  // the next one fits
      }
    }
  });
}

TEST(Messages, NobodySends) {
  LocalGroup group(3, 0.2);
  Tensor x = at::ones({3});
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(message_of<PeerError>([&] { group.rank(2).recv(x, 1, 4); }),
            "rank 2 of 3: stopped, rank 2: waited 0.2 s in recv of message "
            "with tag 4 for rank 1");
  EXPECT_LT(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(), 2);
  EXPECT_NE(message_of<PeerError>([&] { group.rank(0).send(x, 1); }).find("rank 0 of 3: stopped"), std::string::npos);
}

TEST(Messages, AbortEndsTheWaitAndResetDropsWhatWasKept) {
  LocalGroup group(2);
  Tensor x = at::ones({3});
  group.rank(1).send(at::full({3}, 5.0F), 0, 1);
  std::string message;
  std::thread waiting([&] { message = message_of<PeerError>([&] { group.rank(0).recv(x, 1); }); });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  group.abort("no paper");
  waiting.join();
  EXPECT_EQ(message, "rank 0 of 2: stopped, no paper");
  group.reset();
  group.rank(1).send(at::full({3}, 6.0F), 0, 1);
  group.rank(0).recv(x, 1, 1);
  EXPECT_TRUE(at::equal(x, at::full({3}, 6.0F)));
}

}  // namespace
}  // namespace tandem::comm
