// Ranks that speak by c10d's Gloo over sockets, here as threads that meet on the loopback interface.
#include "tandem/comm/process_rank.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <future>
#include <latch>
#include <thread>

#include "tandem/comm/gloo_backend.h"
#include "tandem/comm/meeting_point.h"
#include "tandem/comm/meeting_store.h"
#include "tandem/comm/started_broadcasts_test.h"
#include "tandem/core/steady_seconds.h"
#include "tandem/testing/message_of.h"
#include "tandem/testing/on_threads.h"

namespace tandem::comm {
namespace {

using std::chrono::milliseconds;
using testing::message_of;

std::unique_ptr<ProcessRank> join(const MeetingPoint& point, int64_t rank, int64_t ranks, milliseconds limit) {
  const auto make = [limit](const c10::intrusive_ptr<c10d::Store>& store, int64_t r, int64_t n) {
    return make_gloo_backend(store, r, n, "127.0.0.1", limit);
  };
  auto store = c10::make_intrusive<MeetingStore>("127.0.0.1", point.port(), std::nullopt, limit);
  return std::make_unique<ProcessRank>(std::move(store), rank, ranks, limit, make);
}

// Runs `act` as each of `ranks` ranks; what one throws is thrown here.
void as_ranks(int64_t ranks, const std::function<void(std::unique_ptr<ProcessRank>&)>& act,
              milliseconds limit = milliseconds(20000)) {
  const MeetingPoint point("127.0.0.1", 0, {});
  testing::on_threads(ranks, [&](int64_t r) {
    auto own = join(point, r, ranks, limit);
    act(own);
  });
}

TEST(ProcessRank, AddsUpAllTypesAndSizes) {
  for (const int64_t ranks : {1, 2, 3, 4}) {
    as_ranks(ranks, [&](auto& own) {
      for (const auto type : {at::kFloat, at::kDouble, at::kHalf, at::kBFloat16, at::kInt, at::kLong, at::kByte}) {
        for (const int64_t n : {0, 1, 7, 1000}) {
          Tensor x = at::full({n}, static_cast<double>(own->rank() + 1), type);
          own->all_reduce(x, {});
          EXPECT_TRUE(at::equal(x, at::full({n}, static_cast<double>(ranks * (ranks + 1) / 2), type))) << type << n;
        }
      }
      Tensor last = at::arange(24, at::kFloat).view({2, 3, 4}).permute({2, 0, 1});  // dense, in another order
      const Tensor want = last * static_cast<double>(ranks);
      own->all_reduce(last, {});
      EXPECT_TRUE(at::equal(last, want));
      EXPECT_EQ(message_of([&] {
                  Tensor flags = at::ones({2}, at::kBool);
                  own->all_reduce(flags, {});
                }),
                "all_reduce: tensors of type Bool do not add up");
    });
  }
}

TEST(ProcessRank, SeveralInProgress) {
  as_ranks(3, [](auto& own) {
    std::vector<Tensor> all;
    std::vector<Pending> pending;
    for (int64_t i = 0; i < 20; ++i) {
      all.push_back(at::full({100 * i + 1}, static_cast<double>(own->rank() + i)));
      pending.push_back(own->all_reduce_async(all.back(), {.what = "bucket"}));
    }
    pending[3] = Pending();  // let go of
    for (auto& one : pending) one.wait();
    own->barrier();
    for (int64_t i = 0; i < 20; ++i) {
      if (i == 3) continue;
      EXPECT_EQ(all[static_cast<std::size_t>(i)].sum().template item<double>(), (3 + 3.0 * i) * (100 * i + 1));
    }
    EXPECT_GT(own->bytes_sent(), 0);
  });
}

TEST(ProcessRank, BroadcastsGoOn) {
  as_ranks(3, [](auto& own) { expect_broadcasts_go_on(*own); });
}

TEST(ProcessRank, OtherCallsComeAmongThoseInProgressAtOtherPlacesOnEachRank) {
  as_ranks(2, [](auto& own) {
    std::vector<Tensor> all;
    std::vector<Pending> pending;
    for (int64_t i = 0; i < 6; ++i) {
      if (i == 4 * own->rank()) {
        Tensor other = at::ones({7});
        own->all_reduce(other, {});
        EXPECT_TRUE(other.eq(2).all().template item<bool>());
        own->barrier();
      }
      all.push_back(at::full({100}, static_cast<double>(i)));
      pending.push_back(own->all_reduce_async(all.back(), {}));
    }
    for (auto& one : pending) one.wait();
    for (int64_t i = 0; i < 6; ++i) {
      EXPECT_TRUE(all[static_cast<std::size_t>(i)].eq(2.0 * static_cast<double>(i)).all().template item<bool>());
    }
  });
}

TEST(ProcessRank, GathersScattersBroadcastsAndSends) {
  as_ranks(3, [](auto& own) {
    const auto r = static_cast<double>(own->rank());
    Tensor part = at::full({2, 2}, r), whole = at::zeros({6, 2});
    own->all_gather(part, whole);
    for (int64_t i = 0; i < 3; ++i) EXPECT_TRUE(at::equal(whole.narrow(0, 2 * i, 2), at::full({2, 2}, double(i))));
    Tensor slice = whole.narrow(0, 2 * own->rank(), 2);
    own->reduce_scatter(whole, slice);
    EXPECT_TRUE(at::equal(slice, at::full({2, 2}, 3 * r)));
    Tensor x = at::full({5}, r);
    own->broadcast(x, 2);
    EXPECT_TRUE(at::equal(x, at::full({5}, 2.0)));
    const int64_t next = (own->rank() + 1) % 3, before = (own->rank() + 2) % 3;
    Tensor got = at::zeros({4});
    if (own->rank() == 0) {
      own->send(at::full({4}, r), next, 7);
      own->recv(got, before, 7);
    } else {
      own->recv(got, before, 7);
      own->send(at::full({4}, r), next, 7);
    }
    EXPECT_TRUE(at::equal(got, at::full({4}, static_cast<double>(before))));
  });
}

TEST(ProcessRank, MessagesAreKeptForWhoComesLaterAndByTag) {
  as_ranks(3, [](auto& own) {
    const auto filled = [](int64_t from, int64_t tag, int64_t n) {
      return at::full({n}, static_cast<double>(100 * from + tag));
    };
    const int64_t me = own->rank();
    for (int64_t to = 0; to < 3; ++to) {  // all send first: none is asked for yet
      for (int64_t tag = 0; to != me && tag < 200; ++tag)
        own->send(filled(me, tag, tag == 7 ? 2'000'000 : tag), to, tag);
    }
    if (me == 1) std::this_thread::sleep_for(milliseconds(500));
    for (int64_t from = 0; from < 3; ++from) {
      for (int64_t tag = 199; from != me && tag >= 0; --tag) {
        const Tensor want = filled(from, tag, tag == 7 ? 2'000'000 : tag);
        Tensor got = at::zeros_like(want);
        own->recv(got, from, tag);
        EXPECT_TRUE(at::equal(got, want)) << from << " " << tag;
      }
    }
    own->barrier();  // nobody leaves before
  });
}

TEST(ProcessRank, MessagesInSubgroupsThatDoNotFitOrDoNotCome) {
  as_ranks(
      4,
      [](auto& own) {
        const int64_t pair = own->rank() / 2;
        const auto group = own->subgroup({2 * pair, 2 * pair + 1});
        Tensor x = at::full({3}, static_cast<double>(own->rank()));
        group->send(x, 1 - group->rank(), 5);
        group->recv(x, 1 - group->rank(), 5);
        EXPECT_EQ(x[0].template item<double>(), static_cast<double>(own->rank() ^ 1));
        if (group->rank() == 0) {
          group->send(at::ones({2}, at::kInt), 1, 6);
          return std::this_thread::sleep_for(milliseconds(2500));  // is there, but silent
        }
        EXPECT_EQ(message_of([&] { group->recv(x, 0, 6); }),
                  "recv on rank 1: rank 0 sent 8 bytes of type Int, but must fill 12 bytes of type Float");
        const auto rank = std::to_string(own->rank());
        EXPECT_EQ(message_of<PeerError>([&] { group->recv(x, 0, 7); }),
                  "rank " + rank + ": recv from rank 0: waited 1 s for rank " + std::to_string(own->rank() - 1));
      },
      milliseconds(1000));
}

TEST(ProcessRank, AMessageOfOneThatIsLost) {
  const double start = steady_seconds();
  as_ranks(2, [&](auto& own) {
    Tensor x = at::ones({3});
    for (int round = 0; round < 3; ++round) {  // they know one another
      own->send(x, 1 - own->rank(), 1);
      own->recv(x, 1 - own->rank(), 1);
    }
    if (own->rank() == 1) {
      own->send(x, 0, 2);
      own.reset();
      return;
    }
    EXPECT_EQ(message_of<PeerError>([&] { own->recv(x, 1, 3); }), "rank 0: recv from rank 1: rank 1 is lost");
    EXPECT_NE(message_of<PeerError>([&] { own->barrier(); }).find("the ranks parted before: "), std::string::npos);
  });
  EXPECT_LT(steady_seconds() - start, 15);  // the limit is 20 s
}

TEST(ProcessRank, SubgroupsSpeakAmongThemselves) {
  as_ranks(4, [](auto& own) {
    const bool even = own->rank() % 2 == 0;
    const std::vector<int64_t> ranks = even ? std::vector<int64_t>{0, 2} : std::vector<int64_t>{3, 1};
    for (int again = 0; again < 2; ++again) {
      const auto group = own->subgroup(ranks);
      EXPECT_EQ(group->rank(), even ? own->rank() / 2 : own->rank() == 3 ? 0 : 1);
      Tensor x = at::full({3}, static_cast<double>(own->rank()));
      group->all_reduce(x, {});
      EXPECT_TRUE(at::equal(x, at::full({3}, even ? 2.0 : 4.0)));
    }
  });
}

TEST(ProcessRank, NamesWhoDoesNotCome) {
  const MeetingPoint point("127.0.0.1", 0, {});
  EXPECT_EQ(message_of<PeerError>([&] { join(point, 0, 3, milliseconds(100)); }),
            "rank 0: ranks 1, 2 did not come within 0.1 s");
}

TEST(ProcessRank, WaitsForOneThatIsSlow) {
  as_ranks(2, [](auto& own) {
    if (own->rank() == 1) std::this_thread::sleep_for(milliseconds(1000));
    Tensor x = at::ones({10});
    own->all_reduce(x, {});
    EXPECT_TRUE(x.eq(2).all().template item<bool>());
  });
}

TEST(ProcessRank, AbortEndsACallThatAnotherThreadIsIn) {
  const double start = steady_seconds();
  std::latch parted(1);
  as_ranks(2, [&](auto& own) {
    if (own->rank() == 1) {
      parted.wait();
      const auto message = message_of<PeerError>([&] { own->barrier(); });
      EXPECT_EQ(message.rfind("rank 1: barrier: ", 0), 0U) << message;
      return;
    }
    std::thread other([&] {
      std::this_thread::sleep_for(milliseconds(300));
      own->abort("rank 0 ran out of rows");
    });
    EXPECT_EQ(message_of<PeerError>([&] { own->barrier(); }), "rank 0: rank 0 ran out of rows");
    other.join();
    EXPECT_EQ(message_of<PeerError>([&] { own->barrier(); }),
              "rank 0: barrier: the ranks parted before: rank 0 ran out of rows");
    parted.count_down();
  });
  EXPECT_LT(steady_seconds() - start, 15);  // the limit is 20 s
}

TEST(ProcessRank, NamesWhoIsLost) {  // rank 1 goes in the midst of the others' second exchange
  std::vector<std::string> messages(3);
  const double start = steady_seconds();
  as_ranks(3, [&](auto& own) {
    const auto rank = own->rank();
    Tensor x = at::ones({1000});
    own->all_reduce(x, {});
    if (rank == 1) {
      std::this_thread::sleep_for(milliseconds(200));
      own.reset();
      return;
    }
    messages[static_cast<std::size_t>(rank)] = message_of<PeerError>([&] { own->all_reduce(x, {.what = "bucket 2"}); });
    EXPECT_NE(message_of<PeerError>([&] { own->barrier(); }).find("the ranks parted before: "), std::string::npos);
  });
  for (const std::size_t rank : {0, 2}) {
    const auto begin = "rank " + std::to_string(rank) + ": all_reduce of bucket 2: rank 1 is lost or late: ";
    EXPECT_EQ(messages[rank].rfind(begin, 0), 0U) << messages[rank];
  }
  EXPECT_LT(steady_seconds() - start, 15);  // the limit is 20 s
}

// A backend whose exchanges fail and whose end waits for what it has in progress, as Gloo's does up to the limit.
class EndsLate final : public c10d::Backend {
 public:
  explicit EndsLate(std::shared_future<void> may_end) : Backend(0, 1), may_end_(std::move(may_end)) {}
  ~EndsLate() override { may_end_.wait(); }
  c10::intrusive_ptr<c10d::Work> barrier(const c10d::BarrierOptions&) override {
    throw std::runtime_error("connection reset");
  }

 private:
  std::shared_future<void> may_end_;
};

TEST(ProcessRank, DoesNotWaitForTheEndOfALostBackend) {
  const MeetingPoint point("127.0.0.1", 0, {});
  std::promise<void> may_end;
  const std::shared_future<void> end = may_end.get_future();
  {
    auto store = c10::make_intrusive<MeetingStore>("127.0.0.1", point.port(), std::nullopt, milliseconds(20000));
    ProcessRank alone(std::move(store), 0, 1, milliseconds(20000), [&](const auto&, int64_t, int64_t) {
      return ProcessBackend{c10::make_intrusive<EndsLate>(end), {}};
    });
    EXPECT_EQ(message_of<PeerError>([&] { alone.barrier(); }), "rank 0: barrier: connection reset");
  }
  may_end.set_value();  // the test ends by its limit where it is waited for
}

TEST(ProcessRank, WithTheMeetingPointRankZeroIsLost) {
  auto point = std::make_unique<MeetingPoint>("127.0.0.1", 0, std::nullopt);
  std::unique_ptr<ProcessRank> zero;
  std::thread first([&] { zero = join(*point, 0, 2, milliseconds(20000)); });
  const auto one = join(*point, 1, 2, milliseconds(20000));
  first.join();
  zero.reset();
  point.reset();
  const double start = steady_seconds();
  Tensor x = at::ones({10});
  EXPECT_EQ(
      message_of<PeerError>([&] { one->all_reduce(x, {}); }).rfind("rank 1: all_reduce: rank 0 is lost or late: ", 0),
      0U);
  EXPECT_LT(steady_seconds() - start, 15);  // the limit is 20 s
}

}  // namespace
}  // namespace tandem::comm
