#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "tandem/core/tensor.h"
#include "tandem/layers/constraint.h"
#include "tandem/servers/range_gradient.h"
#include "tandem/servers/server_plan.h"

namespace tandem::servers {

/// A weight's place in a flat buffer, in its shape.
Tensor view_of(const Tensor& buffer, const PlannedWeight& weight);

/// The optimizer's memory of a range of parameters, apart from the parameters themselves.
struct RangeState {
  int64_t iterations = 0;
  std::vector<double> numbers = {};
  std::vector<Tensor> slots = {};  // each (n,), float32
};

/// One server's range of the flat parameters with the optimizer's slots: what an update changes.
class ParameterRange {
 public:
  /// Values are zero. Throws InvalidArgument on an optimizer that servers cannot run, DataError where the range cuts a
  /// weight that the rule or a constraint needs whole.
  ParameterRange(const ServerPlan& plan, int64_t server);

  /// True when neighbouring elements can be updated apart: each block as soon as its gradients are there.
  bool by_part() const { return optimizer_->elementwise() && !optimizer_->prepares() && constraints_.empty(); }
  /// True when an update may change the gradient that it is given.
  bool changes_gradient() const { return optimizer_->prepares(); }

  /// True when rows of tables that have no gradient may be left out.
  bool touched_alone() const { return optimizer_->leaves_zero_gradients(); }

  /// Updates elements [begin, begin + n) of the range by their gradient (n,): all of them unless by_part(). `rate`
  /// below 0: the optimizer's own. False: this iteration makes no update and does not count.
  bool update(int64_t begin, Tensor& gradient, int64_t iteration, double rate) {
    return update(begin, gradient, {}, iteration, rate);
  }
  /// Likewise, where the gradient ends with rows alone. Of those that are `touched` when there are any.
  bool update(int64_t begin, Tensor& gradient, const std::vector<TouchedRows>& touched, int64_t iteration, double rate);

  int64_t size() const { return parameters_.numel(); }
  Tensor& parameters() { return parameters_; }
  const Tensor& parameters() const { return parameters_; }
  const std::vector<Tensor>& slots() const { return slots_; }
  const std::vector<double>& numbers() const { return numbers_; }
  /// Throws DataError unless slots and numbers are as many and as large as the optimizer's.
  void set(const std::vector<double>& numbers, const std::vector<Tensor>& slots);

 private:
  void update_weights(Tensor& gradient, int64_t iteration, double rate);
  void update_rows(const TouchedRows& touched, const Tensor& gradient, int64_t iteration, double rate);
  // Where weights lie in a gradient that ends with touched rows.
  std::vector<FlatPlace> places_with(const std::vector<TouchedRows>& touched, int64_t elements) const;
  void project();

  std::shared_ptr<Optimizer> optimizer_;
  std::vector<PlannedWeight> weights_;  // of this range, offsets from its begin
  std::vector<FlatPlace> places_;
  std::map<std::size_t, std::shared_ptr<const Constraint>> constraints_;  // by place in weights_
  Tensor parameters_;
  std::vector<Tensor> slots_;
  std::vector<double> numbers_;
};

}  // namespace tandem::servers
