#include "tandem/report/history_json.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>

#include "tandem/core/error.h"
#include "tandem/report/number_text.h"

namespace tandem::report {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(NumberTextTest, IsPythons) {
  EXPECT_EQ(fixed_text(0.45125, 4), "0.4512");  // the double lies below
  EXPECT_EQ(fixed_text(2.5, 0), "2");           // ties to even
  EXPECT_EQ(fixed_text(-0.0, 1), "-0.0");
  EXPECT_EQ(fixed_text(-std::nan(""), 4), "nan");
  EXPECT_EQ(fixed_text(-kInfinity, 4), "-inf");
  EXPECT_EQ(fixed_text(1e300, 4).size(), 306u);
  EXPECT_EQ(scientific_text(0.0, 4), "0.0000e+00");
  EXPECT_EQ(scientific_text(1.23456e-7, 4), "1.2346e-07");
  EXPECT_EQ(scientific_text(1e-310, 4), "1.0000e-310");
  EXPECT_EQ(shortest_text(0.1), "0.1");
}

TEST(HistoryJsonTest, IsAnObjectOfLists) {
  EXPECT_EQ(history_json({{"loss", {1.0, 0.1}}, {"val_loss", {1e-05, 2e22}}}),
            "{\n  \"loss\": [1.0, 0.1],\n  \"val_loss\": [1e-05, 2e+22]\n}\n");
  EXPECT_EQ(history_json({}), "{}\n");
  EXPECT_EQ(history_json({{"a\"b\n", {}}}), "{\n  \"a\\\"b\\n\": []\n}\n");
}

TEST(HistoryJsonTest, SaysThatTrainingWasInterrupted) {
  EXPECT_EQ(history_json({{"loss", {1.0}}}, true), "{\n  \"loss\": [1.0],\n  \"interrupted\": true\n}\n");
  EXPECT_EQ(history_json({}, true), "{\n  \"interrupted\": true\n}\n");
}

TEST(HistoryJsonTest, NumbersReadBackTheSame) {
  for (const double value : {1.0 / 3.0, 1e-310, 123456789.123456789, -0.1f * 1.0, std::numeric_limits<double>::max()}) {
    const auto text = history_json({{"x", {value}}});
    EXPECT_EQ(std::strtod(text.c_str() + text.find('[') + 1, nullptr), value) << text;
  }
}

TEST(HistoryJsonTest, NotFiniteValuesAreAsInPython) {
  EXPECT_EQ(history_json({{"x", {std::nan(""), kInfinity, -kInfinity}}}),
            "{\n  \"x\": [NaN, Infinity, -Infinity]\n}\n");
}

TEST(HistoryCsvTest, HasARowAnEpoch) {
  const std::vector<EpochFigures> epochs = {
      {4, Logs({{"loss", 1.5}})}, {5, Logs({{"loss", std::nan("")}, {"val,\"x\"", 0.25}})}, {6, Logs({{"loss", 0.1}})}};
  EXPECT_EQ(history_csv(epochs), "epoch,loss,\"val,\"\"x\"\"\"\n4,1.5,\n5,nan,0.25\n6,0.1,\n");
  EXPECT_EQ(history_csv({}), "epoch\n");
}

TEST(WriteHistoryTest, TheEndingChoosesTheFormat) {
  std::string folder = (std::filesystem::temp_directory_path() / "tandem_history_XXXXXX").string();
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  const std::vector<EpochFigures> history = {{0, Logs({{"loss", 1.5}})}, {1, Logs({{"loss", 0.5}, {"val_loss", 2}})}};
  const auto read = [](const std::string& path) {
    std::ifstream in(path);
    return std::string(std::istreambuf_iterator<char>(in), {});
  };
  write_history(history, folder + "/h.csv");
  EXPECT_EQ(read(folder + "/h.csv"), history_csv(history));
  write_history(history, folder + "/h.json");
  EXPECT_EQ(read(folder + "/h.json"), history_json({{"loss", {1.5, 0.5}}, {"val_loss", {2}}}));
  EXPECT_THROW(write_history(history, folder + "/no/h.json"), DataError);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace tandem::report
