#pragma once
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "tandem/core/tensor.h"

namespace tandem {

/// Keras's sample_weight: one tensor for all outputs, a list by output (`{w1, w2}`; an undefined tensor: 1 each), or a
/// map by output name (`{{"main", w1}, {"side", w2}}`). Weights are (rows), or (rows, steps, ...) by step.
class SampleWeightArgument {
 public:
  using Named = std::pair<const std::string, Tensor>;

  SampleWeightArgument() = default;
  SampleWeightArgument(const Tensor& one) : one_(one) {}
  SampleWeightArgument(std::initializer_list<Tensor> by_output) : list_(by_output), is_list_(true) {}
  SampleWeightArgument(const Tensors& by_output) : list_(by_output.vector()), is_list_(true) {}
  SampleWeightArgument(std::vector<Tensor> by_output) : list_(std::move(by_output)), is_list_(true) {}
  SampleWeightArgument(std::initializer_list<Named> by_name) : named_(by_name.begin(), by_name.end()) {}
  /// As the map above, where it is made while the program runs.
  static SampleWeightArgument by_name(std::vector<std::pair<std::string, Tensor>> weights);

  /// True where nothing was given.
  bool empty() const { return !one_.defined() && !is_list_ && named_.empty(); }
  /// As data::Batch::weights. Throws InvalidArgument, naming `who` and the outputs, when number or names do not fit.
  Tensors resolve(const char* who, const std::vector<std::string>& outputs) const;

 private:
  Tensor one_;
  std::vector<Tensor> list_;
  bool is_list_ = false;
  std::vector<std::pair<std::string, Tensor>> named_;
};

}  // namespace tandem
