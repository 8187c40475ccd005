#include "tandem/data/csv.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <string>
#include <vector>

#include "tandem/core/error.h"
#include "tandem/data/message_of_test.h"
#include "tandem/testing/temporary_folder.h"

namespace tandem::datasets {
namespace {

using Words = std::vector<std::string>;

class Csv : public ::testing::Test {
 protected:
  data::LabelledDataset read(const std::string& text, CsvOptions options = {}) {
    options.path = folder_.write("table.csv", text);
    return csv(options);
  }
  // The message of what `text` is refused with, behind the file's name.
  std::string refusal(const std::string& text, const CsvOptions& options = {}) {
    const auto message = data::message_of<Error>([&] { read(text, options); });
    const auto file = folder_.file("table.csv");
    return message.starts_with(file) ? message.substr(file.size()) : message;
  }

  testing::TemporaryFolder folder_;
};

TEST_F(Csv, TextLabelsBecomeIdsInSortedOrder) {
  const auto rows = read("height,\"width, cm\",kind\r\n1, 2.5 ,pear\r\n\r\n-3e1,+4,\"an \"\"apple\"\"\"\r\n5,6,pear");
  EXPECT_EQ(rows.class_names(), (Words{"an \"apple\"", "pear"}));
  EXPECT_TRUE(at::equal(rows.x(), at::tensor({1.0F, 2.5F, -30.0F, 4.0F, 5.0F, 6.0F}).view({3, 2})));
  EXPECT_TRUE(at::equal(rows.y(), at::tensor({1, 0, 1}, at::kLong)));
}

TEST_F(Csv, WholeLabelsAreClassesBySizeAndOthersNumbers) {
  const auto classes = read("1,10\n2,9\n3,10\n");
  EXPECT_EQ(classes.class_names(), (Words{"9", "10"}));
  EXPECT_TRUE(at::equal(classes.y(), at::tensor({1, 0, 1}, at::kLong)));
  const auto numbers = read("1,10\n2,9.5\n");
  EXPECT_EQ(numbers.class_names(), Words());
  EXPECT_TRUE(at::equal(numbers.y(), at::tensor({10.0F, 9.5F})));
  const auto asked = read("1,10\n2,9\n", {.label_mode = "number"});
  EXPECT_TRUE(at::equal(asked.y(), at::tensor({10.0F, 9.0F})));
  EXPECT_EQ(read("1,10\n2,9.5\n", {.label_mode = "class"}).class_names(), (Words{"10", "9.5"}));
}

TEST_F(Csv, TheLabelIsChosenByNameOrPlace) {
  const auto text = "a;b;c\n1;2;3\n4;5;6\n";
  const auto by_name = read(text, {.label = "b", .delimiter = ";"});
  EXPECT_TRUE(at::equal(by_name.x(), at::tensor({1.0F, 3.0F, 4.0F, 6.0F}).view({2, 2})));
  EXPECT_EQ(by_name.class_names(), (Words{"2", "5"}));
  const auto first = read(text, {.label_column = 0, .delimiter = ";"});
  EXPECT_EQ(first.class_names(), (Words{"1", "4"}));
  const auto none = read(text, {.delimiter = ";", .label_mode = "none"});
  EXPECT_EQ(none.x().sizes(), at::IntArrayRef({2, 3}));
  EXPECT_TRUE(none.source()->all().y.empty());
}

TEST_F(Csv, AHeaderIsGuessedOrGiven) {
  EXPECT_EQ(read("a,b\n1,2\n").size(), 1);
  EXPECT_EQ(read("1,b\n3,b\n").size(), 2);
  EXPECT_EQ(read("1,2\n3,4\n", {.header = "yes"}).size(), 1);
  EXPECT_EQ(refusal("a,b\n1,2\n", {.header = "no"}), ", line 1, column 1: must be a finite number, got 'a'");
}

TEST_F(Csv, APackedFileAndALongOne) {
  std::string text;
  for (int i = 0; i < 30000; ++i) text += std::to_string(i) + ",\"two\nlines\",1\n";
  gzFile packed = gzopen(folder_.file("long.csv.gz").c_str(), "wb");
  gzwrite(packed, text.data(), static_cast<unsigned>(text.size()));
  gzclose(packed);
  const auto rows = csv({.path = folder_.file("long.csv.gz"), .label_column = 1});
  EXPECT_EQ(rows.size(), 30000);
  EXPECT_EQ(rows.class_names(), (Words{"two\nlines"}));
  EXPECT_TRUE(at::equal(rows.x().select(1, 0), at::arange(30000, at::kFloat)));
}

TEST_F(Csv, WhatIsWrongIsNamedByLineAndColumn) {
  EXPECT_EQ(refusal("a,b,c\n1,2,x\n3,,x\n"), ", line 3, column 2 (b): a value is missing");
  EXPECT_EQ(refusal("1,2,\n"), ", line 1, column 3: a value is missing");
  EXPECT_EQ(refusal("a,b\n\n\n1,x\nnan,y\n"), ", line 5, column 1 (a): must be a finite number, got 'nan'");
  EXPECT_EQ(refusal("1,x\n1e99,y\n"), ", line 2, column 1: must be a finite number, got '1e99'");
  EXPECT_EQ(refusal("1,x\n12 3,y\n"), ", line 2, column 1: must be a finite number, got '12 3'");
  EXPECT_EQ(refusal("1,2\n3,4,5\n"), ", line 2: must have 2 columns, has 3");
  EXPECT_EQ(refusal("1,2\n3\n"), ", line 2: must have 2 columns, has 1");
  EXPECT_EQ(refusal("1,2\n3,x\n", {.label_mode = "number"}), ", line 2, column 2: must be a finite number, got 'x'");
  EXPECT_EQ(refusal("1,2\n3,\"4\n"), ", line 3: a quoted field must end with a quote and nothing else");
  EXPECT_EQ(refusal("1,2\n3,\"4\"5\n"), ", line 2: a quoted field must end with a quote and nothing else");
  EXPECT_EQ(refusal(""), ": must have a line of values, it has none");
  EXPECT_EQ(refusal("a,b\n"), ": must have a line of values, it has none");
  EXPECT_EQ(refusal("1\n2\n"), ": must have a column besides the label, has none");
}

TEST_F(Csv, SettingsThatCannotBe) {
  EXPECT_EQ(refusal("a,b\n1,2\n", {.label = "c"}), ": column 'c' is not known; did you mean 'a', 'b'?");
  EXPECT_EQ(refusal("1,2\n", {.label = "c"}), ": has no header to find the label 'c' in");
  EXPECT_EQ(refusal("1,2\n", {.label_column = 2}), ": label_column 2 is not one of its 2 columns");
  EXPECT_EQ(refusal("1,2\n", {.delimiter = ""}), "csv: the delimiter must be one character, got ''");
  EXPECT_EQ(refusal("1,2\n", {.header = "ys"}), "csv: header 'ys' is not known; did you mean 'yes', 'no'?");
  EXPECT_EQ(data::message_of<DataError>([] { csv({.path = "/nowhere.csv"}); }),
            "/nowhere.csv: cannot be read: No such file or directory");
}

}  // namespace
}  // namespace tandem::datasets
