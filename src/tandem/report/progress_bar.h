#pragma once
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <string>

#include "tandem/core/logs.h"

namespace tandem::report {

struct ProgressOptions {
  int64_t total_steps = -1;  ///< steps of an epoch; -1: not known before the first epoch ends
  bool steps_vary = false;   ///< with steps that are not known: one epoch's are not the next one's total
  int verbose = 1;           ///< as in Keras: 0 nothing, 1 a bar, 2 one line an epoch
  bool terminal =
      false;  ///< redraw in place, with colours; else only the last line of each epoch, without control codes
  std::function<double()> clock = {};     ///< seconds; a monotonic clock when empty
  std::function<int64_t()> columns = {};  ///< width of the terminal; terminal_columns when empty
};

/// Shows how an epoch (or an evaluation or prediction) goes on, in the words and numbers of Keras 3's Progbar, with the
/// rows a second at the end of the bar:
///
///     Epoch 1/3
///     391/782 ━━━━━━━━━━━━━━━━━━━━ 31s 81ms/step - accuracy: 0.4512 - loss: 1.5200 - 1580 rows/s
///
/// While an epoch runs the time is that which is left; at its end that which it took, validation included. The time of
/// a step leaves out the first one, as Keras does; so do the rows a second, and these leave out validation, too. In a
/// narrow terminal the bar is shorter, so that the figures have room. A terminal is drawn to at most 20 times a second.
/// For one thread.
class ProgressBar {
 public:
  ProgressBar(std::ostream& out, ProgressOptions options);
  /// Ends a line that is still being drawn, so that what is printed next (an error) begins a line.
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  /// `epoch` counts from 0. "Epoch 1/3" is printed where there are several `epochs`.
  void start_epoch(int64_t epoch, int64_t epochs);

  /// Notes that `step` steps of the epoch are done, and `rows` rows (0: no rate is shown). True when the bar is to be
  /// drawn again: then, and only then, `draw` is worth its logs. Costs one look at the clock, and none without a bar.
  bool advance(int64_t step, int64_t rows = 0);
  void draw(const Logs& logs);

  /// advance, and draw when that is due.
  void update(int64_t step, const Logs& logs, int64_t rows = 0) {
    if (advance(step, rows)) draw(logs);
  }

  /// The last line of the epoch; `logs` hold the validation's figures, too. Where the steps were not known, this
  /// epoch's are the next one's total. An epoch that ended early says so: "57/782".
  void finish_epoch(const Logs& logs);

  /// Takes the line being drawn off the terminal, so that a message can be printed; the next `draw` brings it back.
  void clear();

 private:
  void merge(const Logs& logs);
  double seconds_per_step(double now) const;
  std::string line(bool last, int64_t columns) const;  // of a bar; the last one is never cut
  std::string figures(bool signed_small) const;
  std::string rate() const;

  std::ostream& out_;
  ProgressOptions options_;
  Logs shown_;  // every figure seen in this epoch, in the order of first sight
  int64_t step_ = 0, rows_ = 0;
  int64_t first_rows_ = 0;  // rows of the first step
  double start_ = 0;        // seconds of the clock, as are the next four
  double after_first_ = 0;
  double last_step_ = 0;
  double last_draw_ = 0;
  double now_ = 0;
  bool has_first_ = false;  // step 1 was seen as such
  bool line_open_ = false;  // the terminal's cursor is in a line that we drew
};

}  // namespace tandem::report
