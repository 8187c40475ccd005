#include "tandem/distribution/row_shares.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "tandem/core/error.h"
#include "tandem/data/divide_rows.h"
#include "tandem/testing/message_of.h"

namespace tandem::distribute {
namespace {

using Rows = std::vector<int64_t>;
using testing::message_of;

TEST(RowShares, EqualSharesDivideAsEvenlyAsItGoes) {
  for (int64_t devices = 1; devices <= 8; ++devices) {
    for (int64_t rows = 0; rows <= 40; ++rows)
      EXPECT_EQ(RowShares({}, devices).divide(rows), data::divide_rows(rows, devices)) << rows << " on " << devices;
  }
}

TEST(RowShares, UnequalSharesGiveTheNearestWholeRows) {
  const RowShares three_to_one({3, 1}, 2);
  EXPECT_EQ(three_to_one.divide(8), (Rows{6, 2}));  // U14
  EXPECT_EQ(three_to_one.divide(7), (Rows{5, 2}));  // 5.25 and 1.75
  EXPECT_EQ(three_to_one.divide(1), (Rows{1, 0}));
  EXPECT_EQ(RowShares({0.1, 0.2, 0.7}, 3).divide(10), (Rows{1, 2, 7})) << "what is whole but for rounding is whole";
  for (int64_t rows = 0; rows < 100; ++rows) {
    const auto counts = RowShares({2, 5, 1, 3}, 4).divide(rows);
    EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), int64_t{0}), rows);
    const double exact[] = {2 / 11.0, 5 / 11.0, 1 / 11.0, 3 / 11.0};
    for (std::size_t d = 0; d < 4; ++d)
      EXPECT_LT(std::abs(static_cast<double>(counts[d]) - exact[d] * static_cast<double>(rows)), 1);
  }
}

TEST(RowShares, AutomaticSharesFollowTheMeasuredSpeeds) {  // U14: device 1 is 3 times slower
  RowShares shares("auto", 2);
  Rows rows = shares.divide(64);
  EXPECT_EQ(rows, (Rows{32, 32}));
  for (int step = 0; step < 40; ++step) {
    shares.observe({static_cast<double>(rows[0]) * 0.001, static_cast<double>(rows[1]) * 0.003}, rows);
    rows = shares.divide(64);
  }
  EXPECT_EQ(rows, (Rows{48, 16}));
}

TEST(RowShares, FixedSharesDoNotFollowSpeeds) {
  RowShares shares({1, 1}, 2);
  for (int step = 0; step < 40; ++step) shares.observe({1, 100}, {32, 32});
  EXPECT_EQ(shares.divide(64), (Rows{32, 32}));
}

TEST(Shares, TextAndBadInput) {
  EXPECT_EQ(Shares("3,1").weights(), (std::vector<double>{3, 1}));
  EXPECT_TRUE(Shares("auto").automatic());
  EXPECT_TRUE(Shares("").weights().empty());
  EXPECT_EQ(message_of<InvalidArgument>([] { Shares("3,x"); }),
            "shares: must be auto or numbers such as 3,1, got '3,x'");
  EXPECT_EQ(message_of<InvalidArgument>([] {
              Shares({1, 2, 3}).check(2);
            }),
            "shares: must be one for each of the 2 devices, got 3");
  EXPECT_EQ(message_of<InvalidArgument>([] { Shares({1, 0}).check(2); }), "shares: must be positive numbers, got 0");
  EXPECT_THROW(Shares("3,,1"), InvalidArgument);
}

}  // namespace
}  // namespace tandem::distribute
