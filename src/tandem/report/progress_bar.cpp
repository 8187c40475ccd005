#include "tandem/report/progress_bar.h"

#include <c10/util/StringUtil.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <ostream>

#include "tandem/core/error.h"
#include "tandem/core/steady_seconds.h"
#include "tandem/report/number_text.h"
#include "tandem/report/terminal.h"
#include "tandem/report/text_width.h"

namespace tandem::report {
namespace {

constexpr int64_t kBarCells = 20;
constexpr double kDrawInterval = 0.05;  // seconds
constexpr const char* kClearToEnd = "\x1b[K";

enum class Style { plain, bold, green, white };

// A line as it is printed and the cells that it takes, cut to what a terminal has room for.
class Line {
 public:
  Line(bool coloured, int64_t room) : coloured_(coloured), room_(room) {}

  void add(std::string_view text, Style style = Style::plain) {
    const auto cells = text_width(text);
    if (cut_ || text.empty()) return;
    cut_ = cells > room_;
    const std::string shown = cut_ ? shorten(text, room_) : std::string(text);
    room_ -= cells;
    const bool styled = coloured_ && style != Style::plain;
    if (styled) text_ += style == Style::bold ? "\x1b[1m" : style == Style::green ? "\x1b[32m" : "\x1b[37m";
    text_ += shown;
    if (styled) text_ += "\x1b[0m";
  }

  const std::string& text() const { return text_; }

 private:
  bool coloured_;
  int64_t room_;
  bool cut_ = false;
  std::string text_;
};

std::string repeated(std::string_view text, int64_t times) {
  std::string out;
  for (int64_t i = 0; i < times; ++i) out += text;
  return out;
}

std::string two_digits(int64_t number) { return (number < 10 ? "0" : "") + std::to_string(number); }

// Time left: 9s, 1:09, 1:09:09.
std::string remaining_text(double seconds) {
  const auto whole = static_cast<int64_t>(std::max(seconds, 0.0));
  if (seconds > 3600) return c10::str(whole / 3600, ":", two_digits(whole % 3600 / 60), ":", two_digits(whole % 60));
  if (seconds > 60) return c10::str(whole / 60, ":", two_digits(whole % 60));
  return c10::str(whole, "s");
}

std::string elapsed_text(double seconds) { return fixed_text(seconds, 0) + "s"; }

std::string step_time_text(double seconds) {
  if (seconds >= 1 || seconds == 0) return fixed_text(seconds, 0) + "s/step";
  if (seconds >= 1e-3) return fixed_text(seconds * 1e3, 0) + "ms/step";
  return fixed_text(seconds * 1e6, 0) + "us/step";
}

std::string padded(int64_t number, std::size_t width) {
  const auto text = std::to_string(number);
  return std::string(width > text.size() ? width - text.size() : 0, ' ') + text;
}

// "  7/782"
std::string count_text(int64_t step, int64_t total) {
  const auto all = std::to_string(total);
  return padded(step, all.size()) + "/" + all;
}

}  // namespace

ProgressBar::ProgressBar(std::ostream& out, ProgressOptions options) : out_(out), options_(std::move(options)) {
  if (options_.verbose < 0 || options_.verbose > 2) {
    throw InvalidArgument(c10::str("verbose must be 0, 1 or 2; received ", options_.verbose));
  }
  if (!options_.clock) options_.clock = steady_seconds;
  if (!options_.columns) options_.columns = [] { return terminal_columns(); };
}

ProgressBar::~ProgressBar() {
  if (line_open_) out_ << "\n" << std::flush;
}

void ProgressBar::start_epoch(int64_t epoch, int64_t epochs) {
  shown_ = {};
  step_ = rows_ = first_rows_ = 0;
  has_first_ = false;
  if (options_.steps_vary) options_.total_steps = -1;
  last_draw_ = -std::numeric_limits<double>::infinity();
  if (options_.verbose == 0) return;
  start_ = last_step_ = now_ = options_.clock();
  if (epochs > 1) out_ << "Epoch " << epoch + 1 << "/" << epochs << "\n" << std::flush;
}

bool ProgressBar::advance(int64_t step, int64_t rows) {
  step_ = step;
  rows_ = rows;
  if (options_.verbose != 1) return false;
  now_ = last_step_ = options_.clock();
  if (step == 1) {
    has_first_ = true;
    after_first_ = now_;
    first_rows_ = rows;
  }
  return options_.terminal && now_ - last_draw_ >= kDrawInterval;
}

void ProgressBar::merge(const Logs& logs) {
  for (const auto& [name, value] : logs) shown_.set(name, value);
}

double ProgressBar::seconds_per_step(double now) const {
  if (step_ <= 0) return 0;
  if (has_first_ && step_ > 1) return (now - after_first_) / static_cast<double>(step_ - 1);
  return (now - start_) / static_cast<double>(step_);
}

// As Keras: figures near zero in scientific form; its one-line form prints every negative figure so (`signed_small`).
std::string ProgressBar::figures(bool signed_small) const {
  std::string out;
  for (const auto& [name, value] : shown_) {
    const bool fixed = (signed_small ? value : std::abs(value)) > 1e-3;
    out += " - " + name + ": " + (fixed ? fixed_text(value, 4) : scientific_text(value, 4));
  }
  return out;
}

std::string ProgressBar::rate() const {
  const bool skip_first = has_first_ && step_ > 1;
  const double seconds = last_step_ - (skip_first ? after_first_ : start_);
  const auto rows = static_cast<double>(rows_ - (skip_first ? first_rows_ : 0));
  if (rows_ <= 0 || seconds <= 0) return {};
  const double per_second = rows / seconds;
  return " - " + fixed_text(per_second, per_second < 10 ? 1 : 0) + " rows/s";
}

// A bar gives up its cells before figures are cut off: 20 where the whole line fits into `columns`, fewer or none else.
std::string ProgressBar::line(bool last, int64_t columns) const {
  const auto total = options_.total_steps;
  const bool known = total > 0;
  const double step_time = seconds_per_step(now_);
  const bool has_rest = known && !last;
  const std::string count = known ? count_text(step_, total) : padded(step_, 7) + "/Unknown";
  const std::string time =
      has_rest ? remaining_text(step_time * static_cast<double>(total - step_)) : elapsed_text(now_ - start_);
  const std::string rest = " " + step_time_text(step_time) + figures(false) + rate();
  const int64_t others = text_width(count) + text_width(time) + text_width(rest) + 2;  // with two blanks
  const auto cells = std::clamp<int64_t>(columns - others, 0, kBarCells);

  Line line(options_.terminal, last ? std::numeric_limits<int64_t>::max() : columns);
  line.add(count, known ? Style::bold : Style::plain);
  line.add(" ");
  if (known && cells > 0) {
    const auto done = std::clamp<int64_t>(cells * step_ / total, 0, cells);
    line.add(repeated("━", done), Style::green);
    line.add(repeated("━", cells - done), Style::white);
    line.add(" ");
  }
  line.add(time, Style::bold);
  line.add(rest);
  return line.text();
}

void ProgressBar::draw(const Logs& logs) {
  if (options_.verbose != 1 || !options_.terminal) return;
  merge(logs);
  last_draw_ = now_;
  // A terminal's last cell stays free: some go to the next line once it is written.
  out_ << "\r" << line(false, options_.columns() - 1) << kClearToEnd << std::flush;
  line_open_ = true;
}

void ProgressBar::finish_epoch(const Logs& logs) {
  if (options_.total_steps < 0) options_.total_steps = step_;
  if (step_ == 0) step_ = options_.total_steps;
  if (options_.verbose == 0) return;
  merge(logs);
  now_ = options_.clock();
  if (options_.verbose == 2) {
    out_ << count_text(step_, options_.total_steps) << " - " << elapsed_text(now_ - start_) << " - "
         << step_time_text(seconds_per_step(now_)) << figures(true) << "\n"
         << std::flush;
    return;
  }
  // The whole line, even where its figures take more than one of the terminal's: nothing is drawn over it.
  const auto text = line(true, options_.terminal ? options_.columns() - 1 : std::numeric_limits<int64_t>::max());
  if (options_.terminal) {
    out_ << "\r" << text << kClearToEnd << "\n" << std::flush;
  } else {
    out_ << text << "\n" << std::flush;
  }
  line_open_ = false;
}

void ProgressBar::clear() {
  if (!line_open_) return;
  out_ << "\r" << kClearToEnd << std::flush;
  line_open_ = false;
}

}  // namespace tandem::report
