// Built only where the library is missing.
#include <gtest/gtest.h>

#include "tandem/data/csv_reader.h"
#include "tandem/testing/message_of.h"

namespace tandem::data {
namespace {

TEST(CsvReaderMissing, RefusesByName) {
  EXPECT_EQ(testing::message_of([] { read_csv("a.csv", ',', {}); }),
            "a.csv: csv files cannot be read: Tandem was built without libcsv");
}

}  // namespace
}  // namespace tandem::data
