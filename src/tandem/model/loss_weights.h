#pragma once
#include <initializer_list>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace tandem {

/// What each output's loss counts in the total: a list by output (`{1, 0.5}`), or a map by output name
/// (`{{"kind", 1}, {"size", 0.5}}`). Empty: 1 each.
class LossWeights {
 public:
  using Named = std::pair<const std::string, double>;

  LossWeights() = default;
  LossWeights(std::initializer_list<double> by_output) : weights_(by_output) {}
  LossWeights(std::initializer_list<Named> by_name) : named_(by_name) {}
  LossWeights(std::vector<double> by_output) : weights_(std::move(by_output)) {}
  LossWeights(std::map<std::string, double> by_name) : named_(std::move(by_name)) {}

  bool empty() const { return weights_.empty() && named_.empty(); }
  /// One an output. Throws InvalidArgument, naming the outputs, when number or names do not fit.
  std::vector<double> resolve(const std::vector<std::string>& outputs) const;

  const std::vector<double>& by_output() const { return weights_; }
  const std::map<std::string, double>& by_name() const { return named_; }

 private:
  std::vector<double> weights_;
  std::map<std::string, double> named_;
};

}  // namespace tandem
