#include "tandem/distribution/row_receipt.h"

#include <gtest/gtest.h>

#include "tandem/core/error.h"
#include "tandem/testing/message_of.h"

namespace tandem::distribute {
namespace {

// Of one process: rows [begin, end) of batches of so many.
PeerMessage receipt(const std::vector<std::vector<int64_t>>& steps) {
  RowReceipt receipt;
  for (const auto& step : steps) receipt.add(step[0], step[1], step[2]);
  PeerMessage message;
  receipt.put(message);
  return message;
}

std::string refusal_of(const std::vector<PeerMessage>& receipts, int64_t rows) {
  return testing::message_of<InternalError>([&] { RowReceipt::check(receipts, rows); });
}

TEST(RowReceipt, CountsRowsThatEachHadOnce) {
  const auto first = receipt({{0, 3, 5}, {0, 3, 5}, {0, 2, 3}, {0, 1, 1}}),
             second = receipt({{3, 5, 5}, {3, 5, 5}, {2, 3, 3}, {1, 1, 1}});
  EXPECT_EQ(RowReceipt::check({first, second}, 14), (std::vector<int64_t>{9, 5}));
  EXPECT_LT(first.values().size(), 4U * 4 + 1) << "steps that are alike are one";
  EXPECT_EQ(RowReceipt::check({receipt({}), receipt({})}, 0), (std::vector<int64_t>{0, 0}));
}

TEST(RowReceipt, NamesRankAndRowsThatWereHadTwiceOrNotAtAll) {
  const std::string where = "receipt of the epoch's rows: ";
  EXPECT_EQ(refusal_of({receipt({{0, 3, 5}, {0, 3, 5}}), receipt({{3, 5, 5}, {2, 5, 5}})}, 10),
            where + "rank 1 trained on rows 2 to 4 of step 2, which another rank had, too");
  EXPECT_EQ(refusal_of({receipt({{0, 3, 6}}), receipt({{4, 6, 6}})}, 6),
            where + "rank 1 trained on rows 4 to 5 of step 1, but nobody on those from 3");
  EXPECT_EQ(refusal_of({receipt({{0, 3, 6}}), receipt({{3, 5, 6}})}, 6),
            where + "nobody trained on rows from 5 of 6 of step 1");
  EXPECT_EQ(refusal_of({receipt({{0, 3, 6}}), receipt({{3, 5, 5}})}, 6),
            where + "step 1 had 5 rows for rank 1, 6 for rank 0");
  EXPECT_EQ(refusal_of({receipt({{0, 3, 6}, {0, 3, 6}}), receipt({{3, 6, 6}})}, 12),
            where + "rank 1 made 1 steps, others more");
  EXPECT_EQ(refusal_of({receipt({{0, 3, 6}}), receipt({{3, 6, 6}})}, 7), where + "the ranks had 6 of 7 rows");
}

}  // namespace
}  // namespace tandem::distribute
