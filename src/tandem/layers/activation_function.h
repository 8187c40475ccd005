#pragma once
#include <concepts>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>

#include "tandem/core/tensor.h"
#include "tandem/layers/call_context.h"

namespace tandem {

/// What an `activation` option holds: Keras's name of a function, or any callable Tensor(const Tensor&). Empty is
/// linear.
class ActivationFunction {
 public:
  using Function = std::function<Tensor(const Tensor&)>;

  ActivationFunction() = default;
  /// Throws InvalidArgument on an unknown name when it is applied or checked.
  ActivationFunction(const char* name) : name_(name) {}
  ActivationFunction(std::string name) : name_(std::move(name)) {}
  template <class F>
  requires(std::is_invocable_r_v<Tensor, const F&, const Tensor&> && !std::is_convertible_v<F, std::string>)
      ActivationFunction(F function)
      : function_(std::move(function)) {}

  bool is_linear() const { return !function_ && (name_.empty() || name_ == "linear"); }
  /// Empty for a callable.
  const std::string& name() const { return name_; }
  /// Throws InvalidArgument on an unknown name, so that a layer can refuse it when it is made.
  void check() const;
  /// The function's value. A softmax or sigmoid tells `context` which logits it came from.
  Tensor operator()(const Tensor& x, const CallContext& context) const;

 private:
  std::string name_;
  Function function_;
};

}  // namespace tandem
