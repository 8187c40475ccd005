#pragma once
#include <c10/core/Event.h>

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tandem/core/tensor.h"

namespace tandem::distribute {

/// A replica's parts of the means of a step, for the host to see. On a GPU they travel to page-locked memory while the
/// step goes on: settle waits until they were computed, mostly early in the step, and not for the rest of it. Used on
/// the replica's thread, within its StreamScope.
class StepFigures {
 public:
  explicit StepFigures(c10::Device device);

  /// Forgets the step before.
  void begin();
  /// The loss, and each output's own. Of several in a step the last ones count.
  void set_loss(const Tensor& total, const std::vector<Tensor>& by_output);
  /// `value` x `factor` as `name`.
  void report(const std::string& name, const Tensor& value, double factor);
  /// Returns when the figures below are the step's.
  void settle();

  double loss() const { return loss_; }
  const std::vector<double>& by_output() const { return by_output_; }
  const std::map<std::string, double>& reported() const { return reported_; }

 private:
  bool on_gpu() const { return copied_.has_value(); }
  // Scalars on their way to the host; float64, in memory that keeps until the next step.
  Tensor bring(const std::vector<Tensor>& scalars);

  const c10::Device device_;
  std::optional<c10::Event> copied_;  // where this is a GPU
  std::vector<Tensor> places_;        // page-locked
  std::size_t used_ = 0;
  Tensor losses_on_way_;  // each output's, then the total
  std::map<std::string, std::pair<Tensor, double>> reports_on_way_;
  double loss_ = 0;
  std::vector<double> by_output_;
  std::map<std::string, double> reported_;
};

}  // namespace tandem::distribute
