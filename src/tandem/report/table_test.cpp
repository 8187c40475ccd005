#include "tandem/report/table.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <sstream>

#include "tandem/core/error.h"
#include "tandem/report/text_width.h"

namespace tandem::report {
namespace {

using Rows = std::vector<std::vector<std::string>>;

// The title and the table of one of Keras's summaries; the totals below it are the model's affair.
std::string keras_table(const std::string& name) {
  std::ifstream in(std::string(TANDEM_FIXTURES) + "/keras/summary_" + name + ".txt");
  std::string table;
  for (std::string line; std::getline(in, line) && !line.starts_with(" Total params");) table += line + "\n";
  return table;
}

std::vector<Column> summary_columns(const std::vector<std::string>& headers, const std::vector<double>& positions,
                                    int64_t line_length) {
  const auto widths = column_widths(positions, line_length);
  std::vector<Column> columns;
  for (std::size_t i = 0; i < headers.size(); ++i) {
    const auto align = headers[i] == "Param #" ? Align::right : headers[i] == "Trainable" ? Align::center : Align::left;
    columns.push_back({headers[i], align, widths[i]});
  }
  return columns;
}

const std::vector<std::string> kSequentialHeaders = {"Layer (type)", "Output Shape", "Param #"};
const std::vector<std::string> kGraphHeaders = {"Layer (type)", "Output Shape", "Param #", "Connected to"};
const std::vector<double> kSequentialPositions = {0.45, 0.80, 1.0};
const std::vector<double> kGraphPositions = {0.3, 0.56, 0.74, 1.0};

const Rows kSharedRows = {
    {"a (InputLayer)", "(None, 4)", "0", "-"},
    {"b (InputLayer)", "(None, 4)", "0", "-"},
    {"shared (Dense)", "(None, 5)", "25", "a[0][0], b[0][0]"},
    {"merged (Concatenate)", "(None, 10)", "0", "shared[0][0], shared[1][0]"},
    {"total (Add)", "(None, 5)", "0", "shared[0][0], shared[1][0]"},
    {"kind (Dense)", "(None, 3)", "33", "merged[0][0]"},
    {"size (Dense)", "(None, 2)", "12", "total[0][0]"},
};

TEST(DrawTableTest, DrawsAGraphAsKerasDoes) {
  const auto columns = summary_columns(kGraphHeaders, kGraphPositions, 76);
  EXPECT_EQ(draw_table("Model: \"functional\"", columns, kSharedRows, {.line_length = 76}), keras_table("functional"));
  const auto wide = summary_columns(kGraphHeaders, kGraphPositions, 108);
  EXPECT_EQ(draw_table("Model: \"functional\"", wide, kSharedRows, {.line_length = 108}),
            keras_table("functional_wide"));
}

TEST(DrawTableTest, DrawsNestedLayersAsKerasDoes) {
  const auto columns = summary_columns(kSequentialHeaders, kSequentialPositions, 76);
  const Rows rows = {{"features (InputLayer)", "(None, 6)", "0"},
                     {"encoder (Sequential)", "(None, 4)", "92"},
                     {"   └ dense (Dense)", "(None, 8)", "56"},
                     {"   └ dense_1 (Dense)", "(None, 4)", "36"},
                     {"head (Dense)", "(None, 2)", "10"}};
  EXPECT_EQ(draw_table("Model: \"classifier\"", columns, rows, {.line_length = 76}), keras_table("nested_expanded"));
}

TEST(DrawTableTest, CutsLongNamesAndBreaksAtBlanksAsKerasDoes) {
  const auto columns = summary_columns(kGraphHeaders, kGraphPositions, 76);
  const std::string name = "a_shared_layer_with_a_name_longer_than_its_column";
  const Rows rows = {{"in (InputLayer)", "(None, 8)", "0", "-"},
                     {name + " (Dense)", "(None, 8)", "72", "in[0][0], " + name + "[0][0]"},
                     {"add (Add)", "(None, 8)", "0", name + "[1][0], in[0][0]"}};
  EXPECT_EQ(draw_table("Model: \"residual\"", columns, rows, {.line_length = 76}), keras_table("shared_twice"));
}

TEST(DrawTableTest, CentresAndCutsTheHeadAsKerasDoes) {
  auto headers = kSequentialHeaders;
  headers.push_back("Trainable");
  auto positions = kSequentialPositions;
  for (auto& position : positions) position *= 0.9;
  positions.push_back(1.0);
  const Rows rows = {{"conv2d (Conv2D)", "(None, 8, 8, 4)", "76", "N"},
                     {"batch_normalization (BatchNormalization)", "(None, 8, 8, 4)", "16", "Y"},
                     {"activation (Activation)", "(None, 8, 8, 4)", "0", "-"},
                     {"max_pooling2d (MaxPooling2D)", "(None, 4, 4, 4)", "0", "-"},
                     {"flatten (Flatten)", "(None, 64)", "0", "-"},
                     {"dense (Dense)", "(None, 3)", "195", "Y"}};
  const auto table =
      draw_table("Model: \"sequential\"", summary_columns(headers, positions, 76), rows, {.line_length = 76});
  EXPECT_EQ(table, keras_table("frozen_show_trainable"));
}

TEST(DrawTableTest, EveryLineIsAsLongAsAsked) {
  const Rows rows = {{"層一 (層)", "x", "1"}, {"cafe\u0301 a_word_that_is_too_long", "", "2"}, {"short"}};
  for (int64_t length = 22; length < 60; ++length) {
    std::istringstream lines(draw_table("", {{"Name", Align::left, 9}, {"B", Align::center, 5}, {"N", Align::right, 4}},
                                        rows, {.line_length = length}));
    for (std::string line; std::getline(lines, line);) EXPECT_EQ(text_width(line), length) << line;
  }
}

TEST(DrawTableTest, WithoutALengthColumnsAreAsWideAsAsked) {
  EXPECT_EQ(draw_table("", {{"A", Align::left, 3}, {"B", Align::right, 2}}, {{"x y z", "1"}}),
            "┏━━━━━┳━━━━┓\n"
            "┃ A   ┃  B ┃\n"
            "┡━━━━━╇━━━━┩\n"
            "│ x y │  1 │\n"
            "│ z   │    │\n"
            "└─────┴────┘\n");
}

TEST(DrawTableTest, SaysWhatDoesNotFit) {
  EXPECT_THROW(draw_table("", {}, {}), InvalidArgument);
  EXPECT_THROW(draw_table("", {{"A", Align::left, 3}}, {{"a", "b"}}), InvalidArgument);
  EXPECT_THROW(draw_table("", {{"A", Align::left, 3}, {"B", Align::left, 3}}, {}, {.line_length = 6}), InvalidArgument);
}

TEST(ColumnWidthsTest, AreKerass) {
  // int(0.45 * 76) = 34, int(0.80 * 76) = 60, 76
  EXPECT_EQ(column_widths({0.45, 0.80, 1.0}, 76), (std::vector<int64_t>{34, 26, 16}));
  EXPECT_THROW(column_widths({0.45, 0.80, 1.0}, 15), InvalidArgument);
}

}  // namespace
}  // namespace tandem::report
