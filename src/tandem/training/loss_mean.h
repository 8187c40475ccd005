#pragma once
#include <map>
#include <string>
#include <vector>

#include "tandem/core/logs.h"
#include "tandem/distribution/execution.h"

namespace tandem {

/// Keras's running losses of an epoch: the total is the mean over batches weighted by their rows; an output's own loss
/// is the plain mean over batches, as Keras's compiled mode has it, and is shown only where there are several. What a
/// model's own step reports is the mean over the rows of the batches that reported it; its "loss" stands in for the
/// total.
class LossMean {
 public:
  explicit LossMean(std::vector<std::string> output_names) : names_(std::move(output_names)) {}

  int64_t rows() const { return rows_; }

  void add(const distribute::StepResult& step);
  /// For another process, which adds it to its own.
  void put(distribute::PeerMessage& message) const;
  void add(distribute::PeerMessage& message);
  void results(Logs& logs) const;
  void reset();

 private:
  std::vector<std::string> names_;
  double weighted_ = 0;
  std::vector<double> outputs_;
  struct Reported {
    double weighted = 0;
    int64_t rows = 0;
  };
  std::map<std::string, Reported> reported_;
  int64_t rows_ = 0, batches_ = 0;
};

}  // namespace tandem
