#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tandem/core/logs.h"
#include "tandem/report/series.h"

namespace tandem {

/// What a training gave, by epoch, and what happened on the devices. As Keras's History, which fit returns.
class History {
 public:
  using Series = std::pair<std::string, std::vector<double>>;

  /// Facts counted by replicas, communicator and clocks while this training ran; one entry a rank.
  struct Facts {
    std::vector<std::string> devices;
    std::vector<int64_t> rows;
    std::vector<int64_t> bytes_sent;
    std::vector<int64_t> bytes_received;                                    // from parameter servers
    std::vector<int64_t> parameter_bytes, gradient_bytes, optimizer_bytes;  // allocated at the end
    std::vector<double> compute_seconds, exchange_seconds, waiting_seconds;
    std::vector<int64_t> staleness;     // of parameter servers: how many gradients were applied so many updates late
    std::vector<int64_t> dropped_rows;  // by parameter server with backup workers: of gradients that came too late
    int64_t server_rounds = 0;          // in which servers of several hosts averaged their parameters
    int64_t server_bytes = 0;           // of these that this process's servers sent to the others
    double input_seconds = 0;           // the loop waited for data
    double seconds = 0;
  };

  /// Values by epoch under Keras's keys ("loss", "val_accuracy", "learning_rate"). Throws InvalidArgument on an unknown
  /// name.
  const std::vector<double>& operator[](std::string_view name) const;
  /// 1 when `name` is there, else 0.
  int64_t count(std::string_view name) const;
  const std::vector<Series>& series() const { return series_; }
  /// The same figures with the epoch that each belongs to: for report::write_history and report::plot_history.
  const std::vector<report::EpochFigures>& by_epoch() const { return by_epoch_; }
  /// Indexes of the epochs that were run.
  const std::vector<int64_t>& epoch() const { return epochs_; }

  /// Rows that each device trained on.
  const std::vector<int64_t>& rows_per_device() const { return facts_.rows; }
  /// Bytes that other ranks took from `rank`.
  int64_t bytes_sent(int64_t rank) const;
  /// Bytes of parameters that `rank` got from parameter servers.
  int64_t bytes_received(int64_t rank) const;
  /// Bytes of memory that the parameters of `rank` take between steps, their gradients, and its optimizer's slots.
  int64_t parameter_bytes(int64_t rank) const;
  int64_t gradient_bytes(int64_t rank) const;
  int64_t optimizer_bytes(int64_t rank) const;
  /// Updates that were made between handing out parameters and applying the gradient made of them: the most, and the
  /// mean over all gradients. 0 without parameter servers.
  int64_t max_staleness() const;
  double mean_staleness() const;
  /// Rows whose gradients came too late for the updates and were dropped, where there are backup workers: of the
  /// parameter server that dropped most.
  int64_t dropped_rows() const;
  const Facts& facts() const { return facts_; }
  /// True when training was stopped from outside before its end.
  bool interrupted() const { return interrupted_; }

  void append(int64_t epoch, const Logs& logs);
  void set_facts(Facts facts) { facts_ = std::move(facts); }
  void set_interrupted() { interrupted_ = true; }

 private:
  std::vector<Series> series_;
  std::vector<report::EpochFigures> by_epoch_;
  std::vector<int64_t> epochs_;
  Facts facts_;
  bool interrupted_ = false;
};

}  // namespace tandem
