#include "tandem/distribution/placed_round.h"

#include <gtest/gtest.h>

#include <thread>

#include "tandem/testing/captured_log.h"
#include "tandem/testing/message_of.h"

namespace tandem::distribute {
namespace {

std::string piece_name(std::size_t i) { return "piece " + std::to_string(i); }

TEST(PlacedRound, PiecesComeAfterThoseThatTheyNeed) {
  for (int time = 0; time < 200; ++time) {
    PlacedRound round({{}, {0}, {1}, {0, 2}}, 2);
    std::vector<int> order;  // guarded by the needs: 0, 1, 2, 3 is the only order
    const auto piece = [&](std::size_t i) { order.push_back(static_cast<int>(i)); };
    std::thread other([&] { round.work({1, 3}, piece, piece_name); });
    round.work({0, 2}, piece, piece_name);
    round.finish();
    other.join();
    EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3}));
  }
}

TEST(PlacedRound, AFailureEndsTheOthersAndIsThrown) {
  PlacedRound round({{}, {0}, {1}}, 2);
  bool began = false;
  std::thread other([&] {
    round.work(
        {1}, [&](std::size_t) { began = true; }, piece_name);
  });
  const auto fails = [&](std::size_t i) {
    if (i == 0) throw InvalidArgument("piece 0 fails");
    began = true;
  };
  round.work({0, 2}, fails, piece_name);
  EXPECT_EQ(testing::message_of([&] { round.finish(); }), "piece 0 fails");
  other.join();
  EXPECT_FALSE(began);
}

TEST(PlacedRound, APieceThatDoesNotComeIsNamed) {
  testing::CapturedLog log;
  PlacedRound round({{}, {0}}, 2, 0.05);
  round.work(
      {1}, [](std::size_t) {}, piece_name);  // before piece 0 is there
  round.work(
      {}, [](std::size_t) {}, piece_name);
  EXPECT_EQ(testing::message_of<PeerError>([&] { round.finish(); }), "piece 1 has waited 0.05 s for piece 0");
}

}  // namespace
}  // namespace tandem::distribute
