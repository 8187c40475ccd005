#include "tandem/report/progress_bar.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <sstream>

#include "tandem/core/config.h"
#include "tandem/core/error.h"

namespace tandem::report {
namespace {

std::string read(const std::string& name) {
  std::ifstream in(std::string(TANDEM_FIXTURES) + "/keras/" + name, std::ios::binary);
  if (!in) throw DataError(name + ": missing fixture");
  return {std::istreambuf_iterator<char>(in), {}};
}

// What stands on the terminal after each drawing: colours, cursor movements and blanks at the end removed.
std::vector<std::string> frames(const std::string& text) {
  static const std::regex kCodes("\x1b\\[[0-9;]*[mK]|\b");
  std::vector<std::string> out;
  std::istringstream lines(std::regex_replace(text, kCodes, ""));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream parts(line);
    for (std::string part; std::getline(parts, part, '\r');) {
      part.erase(part.find_last_not_of(' ') + 1);
      if (!part.empty()) out.push_back(part);
    }
  }
  return out;
}

// " - name: value" of a frame.
Logs figures(const std::string& frame) {
  static const std::regex kFigure(" - (\\w+): (\\S+)");
  Logs logs;
  for (std::sregex_iterator it(frame.begin(), frame.end(), kFigure), end; it != end; ++it) {
    logs.set((*it)[1].str(), std::stod((*it)[2].str()));
  }
  return logs;
}

// A bar whose clock stands where the test puts it.
struct Scripted {
  explicit Scripted(int64_t total, int verbose = 1, bool terminal = true, int64_t columns = 200)
      : bar(out, {.total_steps = total,
                  .verbose = verbose,
                  .terminal = terminal,
                  .clock = [this] { return ++readings, now; },
                  .columns = [columns] { return columns; }}) {}

  std::string text() const { return out.str(); }

  std::ostringstream out;
  double now = 0;
  int64_t readings = 0;
  ProgressBar bar;
};

// Progbar averages what it is given over the steps since its last call; ours is given averages, as fit's logs are.
class Average {
 public:
  double add(double value, int64_t step) {
    const auto steps = std::max<int64_t>(step - seen_, 1);
    sum_ += value * static_cast<double>(steps);
    count_ += static_cast<double>(steps);
    seen_ = step;
    return sum_ / count_;
  }

 private:
  double sum_ = 0, count_ = 0;
  int64_t seen_ = 0;
};

class KerasProgbarTest : public ::testing::TestWithParam<const char*> {};

TEST_P(KerasProgbarTest, PrintsTheSame) {
  // JSON has no NaN; the case that holds one is tested below.
  const auto about = Config::from_json(read(std::string("progress/") + GetParam() + "/case.json"));
  const auto& options = about.at("options");
  const bool known = !options.at("target").is_null();
  Scripted scripted(known ? options.at("target").as_int() : -1, options.get("verbose", 1).as_int());
  std::map<std::string, Average> averages;
  scripted.now = 1000.0;  // where the clock of these cases begins; it decides how ties round
  scripted.bar.start_epoch(0, 1);
  for (const auto& call : about.at("calls").as_list()) {
    scripted.now = 1000.0 + call.at("seconds").as_double();
    const int64_t step = call.at("current").as_int();
    const bool last = call.at("finalize").as_bool();
    const bool is_due = scripted.bar.advance(step);
    Logs logs;
    for (const auto& [name, value] : call.at("values").as_object()) {
      logs.set(name, last || name == "lr" ? value.as_double() : averages[name].add(value.as_double(), step));
    }
    if (last) scripted.bar.finish_epoch(logs);
    if (!last && is_due) scripted.bar.draw(logs);
  }
  auto expected = frames(about.at("text").as_string());
  // Progbar alone does not learn the number of steps; fit tells it before the last line.
  if (!known)
    expected.back() = std::regex_replace(expected.back(), std::regex("^ *3/Unknown"), "3/3 ━━━━━━━━━━━━━━━━━━━━");
  EXPECT_EQ(frames(scripted.text()), expected);
}

INSTANTIATE_TEST_SUITE_P(Cases, KerasProgbarTest,
                         ::testing::Values("steps", "fast", "microseconds", "minutes", "hours", "unknown", "stateful",
                                           "shrinking", "verbose2", "verbose2_slow"),
                         [](const auto& info) { return std::string(info.param); });

// Under the clock of these texts each reading takes 40 ms; each frame is given the figures that Keras printed in it.
void replay(Scripted& scripted, const std::vector<std::string>& expected, int64_t epochs, int64_t steps,
            int64_t first_epoch = 0) {
  std::size_t at = 0;
  const auto tick = [&] { scripted.now += 0.04; };
  for (int64_t epoch = first_epoch; epoch < epochs; ++epoch) {
    if (epochs > 1) ++at;
    tick();
    scripted.bar.start_epoch(epoch, epochs);
    for (int64_t step = 1; step <= steps; ++step) {
      const auto readings = scripted.readings;
      scripted.now += 0.04;
      if (scripted.bar.advance(step)) scripted.bar.draw(figures(expected.at(at++)));
      if (scripted.readings == readings) scripted.now -= 0.04;
    }
    tick();
    scripted.bar.finish_epoch(figures(expected.at(at++)));
  }
}

TEST(ProgressBarTest, FitPrintsAsKerasOnATerminal) {
  const auto expected = frames(read("verbose_fit_1.txt"));
  Scripted scripted(10);
  replay(scripted, expected, 3, 10);
  EXPECT_EQ(frames(scripted.text()), expected);
}

TEST(ProgressBarTest, EvaluateAndPredictPrintAsKerasOnATerminal) {
  for (const std::string name : {"evaluate", "predict"}) {
    const auto expected = frames(read("verbose_" + name + "_1.txt"));
    Scripted scripted(5);
    replay(scripted, expected, 1, 5);
    EXPECT_EQ(frames(scripted.text()), expected) << name;
  }
}

TEST(ProgressBarTest, Verbose2PrintsKerasLinesToTheByte) {
  for (const bool terminal : {false, true}) {
    const auto check = [&](const std::string& name, int64_t steps, int64_t epochs, int64_t first_epoch) {
      const auto expected = read("verbose_" + name + "_2.txt");
      Scripted scripted(steps, 2, terminal);
      replay(scripted, frames(expected), epochs, steps, first_epoch);
      EXPECT_EQ(scripted.text(), expected) << name;
    };
    check("fit", 10, 3, 0);
    check("fit_initial_epoch", 2, 4, 2);
    check("evaluate", 5, 1, 0);
    check("predict", 5, 1, 0);
  }
}

TEST(ProgressBarTest, ElsewhereOnlyTheLastFrameOfEachEpochAppears) {
  std::string expected, frame;
  const auto all = frames(read("verbose_fit_1.txt"));
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool is_last = i + 1 == all.size() || all[i + 1].starts_with("Epoch");
    if (is_last || all[i].starts_with("Epoch")) expected += all[i] + "\n";
  }
  Scripted scripted(10, 1, false);
  for (int64_t epoch = 0; epoch < 3; ++epoch) {
    scripted.now += 0.04;
    scripted.bar.start_epoch(epoch, 3);
    for (int64_t step = 1; step <= 10; ++step) {
      scripted.now += 0.04;
      EXPECT_FALSE(scripted.bar.advance(step));
    }
    scripted.now += 0.04;
    std::size_t headings = 0, at = 0;  // the last frame before the next heading
    while (at < all.size() && headings < static_cast<std::size_t>(epoch) + 2)
      headings += all[at++].starts_with("Epoch");
    scripted.bar.finish_epoch(figures(all[headings == static_cast<std::size_t>(epoch) + 2 ? at - 2 : at - 1]));
  }
  EXPECT_EQ(scripted.text(), expected);
  EXPECT_EQ(scripted.text().find_first_of("\r\b\x1b"), std::string::npos);
}

TEST(ProgressBarTest, Verbose0PrintsNothingAndReadsNoClock) {
  Scripted scripted(10, 0);
  scripted.bar.start_epoch(0, 3);
  EXPECT_FALSE(scripted.bar.advance(1));
  scripted.bar.finish_epoch({});
  EXPECT_EQ(scripted.text(), "");
  EXPECT_EQ(scripted.readings, 0);
}

TEST(ProgressBarTest, DrawsAtMost20TimesASecond) {
  Scripted scripted(1000);
  scripted.bar.start_epoch(0, 1);
  int64_t drawn = 0;
  for (int64_t step = 1; step <= 1000; ++step) {
    scripted.now += 1.0 / 512;  // exact in binary
    if (!scripted.bar.advance(step)) continue;
    scripted.bar.draw({});
    ++drawn;
  }
  // Every 26th step is the first at least 50 ms after the last drawing.
  EXPECT_EQ(drawn, 1 + 999 / 26);
  EXPECT_EQ(scripted.readings, 1 + 1000);
}

TEST(ProgressBarTest, RowsASecondLeaveOutTheFirstStepAndTheValidation) {
  Scripted scripted(3);
  scripted.bar.start_epoch(0, 1);
  scripted.now = 5;
  scripted.bar.update(1, {}, 32);
  scripted.now = 7;
  scripted.bar.update(2, {}, 64);
  scripted.now = 9;
  scripted.bar.update(3, {}, 66);
  scripted.now = 1000;
  scripted.bar.finish_epoch(Logs({{"loss", 0.5}}));
  const auto lines = frames(scripted.text());
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_TRUE(lines[0].ends_with(" 5s/step - 6.4 rows/s")) << lines[0];         // 32 rows in 5 s
  EXPECT_TRUE(lines[1].ends_with(" 2s/step - 16 rows/s")) << lines[1];          // 32 rows in 2 s
  EXPECT_TRUE(lines[3].ends_with(" - loss: 0.5000 - 8.5 rows/s")) << lines[3];  // 34 rows in 4 s
}

TEST(ProgressBarTest, FitsTheTerminal) {
  for (const int64_t columns : {10, 34, 60}) {
    Scripted scripted(100, 1, true, columns);
    scripted.bar.start_epoch(0, 1);
    scripted.now = 1;
    scripted.bar.update(50, Logs({{"a_figure_with_a_long_name", 1}, {"another_one", 2}}));
    const auto shown = frames(scripted.text()).at(0);
    int64_t cells = 0;
    for (const char c : shown)
      cells += (static_cast<unsigned char>(c) >> 6) != 2;  // each character here takes one cell
    EXPECT_EQ(cells, columns - 1) << shown;
    EXPECT_TRUE(shown.ends_with("…")) << shown;
  }
}

// All but the bar take 36 cells; the last one of the terminal stays free.
TEST(ProgressBarTest, ANarrowTerminalShortensTheBarBeforeFigures) {
  const auto shown = [](int64_t columns) {
    Scripted scripted(100, 1, true, columns);
    scripted.bar.start_epoch(0, 1);
    scripted.now = 1;
    scripted.bar.update(50, Logs({{"loss", 0.5}}));
    scripted.bar.finish_epoch({});
    return frames(scripted.text());
  };
  const auto with_bar = [](int64_t cells) {
    std::string bar;
    for (int64_t i = 0; i < cells; ++i) bar += "━";
    return " 50/100 " + bar + (cells > 0 ? " " : "") + "1s 20ms/step - loss: 0.5000";
  };
  EXPECT_EQ(shown(57), (std::vector<std::string>(2, with_bar(20))));
  EXPECT_EQ(shown(56), (std::vector<std::string>(2, with_bar(19))));
  EXPECT_EQ(shown(40), (std::vector<std::string>(2, with_bar(3))));
  EXPECT_EQ(shown(36), (std::vector<std::string>(2, with_bar(0))));
  EXPECT_EQ(shown(30), (std::vector<std::string>{" 50/100 1s 20ms/step - loss:…", with_bar(0)}));  // nothing is lost
}

TEST(ProgressBarTest, AnEpochOfUnknownLengthSetsTheNext) {
  Scripted scripted(-1);
  for (int64_t epoch = 0; epoch < 2; ++epoch) {
    scripted.bar.start_epoch(epoch, 1);
    scripted.now += 1;
    scripted.bar.update(7, {});
    scripted.bar.finish_epoch({});
  }
  const auto lines = frames(scripted.text());
  EXPECT_TRUE(lines.at(0).starts_with("      7/Unknown 1s"));
  EXPECT_TRUE(lines.at(1).starts_with("7/7 ━"));
  EXPECT_TRUE(lines.at(2).starts_with("7/7 ━"));
}

TEST(ProgressBarTest, EpochsWhoseStepsVaryHaveTotalsOfTheirOwn) {
  std::ostringstream out;
  ProgressBar bar(out, {.steps_vary = true, .verbose = 2, .clock = [] { return 0.0; }});
  for (const int64_t steps : {13, 14}) {
    bar.start_epoch(0, 1);
    bar.update(steps, {});
    bar.finish_epoch({});
  }
  EXPECT_EQ(out.str(), "13/13 - 0s - 0s/step\n14/14 - 0s - 0s/step\n");
}

TEST(ProgressBarTest, AnEpochThatEndedEarlySaysSo) {
  Scripted scripted(782, 2);
  scripted.bar.start_epoch(0, 1);
  scripted.bar.advance(57);
  scripted.now = 57;
  scripted.bar.finish_epoch(Logs({{"loss", std::nan("")}}));
  EXPECT_EQ(scripted.text(), " 57/782 - 57s - 1s/step - loss: nan\n");
}

TEST(ProgressBarTest, AMessageOrAnErrorBeginsALine) {
  std::ostringstream out;
  {
    ProgressBar bar(
        out, {.total_steps = 3, .terminal = true, .clock = [] { return 0.0; }, .columns = [] { return int64_t{80}; }});
    bar.start_epoch(0, 1);
    bar.update(1, {});
    bar.clear();
    EXPECT_TRUE(out.str().ends_with("\r\x1b[K"));
    bar.draw({});
  }
  EXPECT_TRUE(out.str().ends_with("\n"));
}

TEST(ProgressBarTest, RefusesAnUnknownVerbosity) {
  std::ostringstream out;
  EXPECT_THROW(ProgressBar(out, {.verbose = 3}), InvalidArgument);
}

}  // namespace
}  // namespace tandem::report
