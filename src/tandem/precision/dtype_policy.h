#pragma once
#include <c10/core/ScalarType.h>

#include <optional>
#include <string>

namespace tandem {

/// What a layer computes in, as keras.DTypePolicy: "float32", or "mixed_bfloat16" and "mixed_float16", in which it
/// computes in 16 bits while its weights, their gradients and the optimizer's state stay float32 (Micikevicius et al.
/// 2018).
class DTypePolicy {
 public:
  DTypePolicy() = default;  // float32
  /// Throws InvalidArgument on another name than the three.
  DTypePolicy(const std::string& name);
  DTypePolicy(const char* name) : DTypePolicy(std::string(name)) {}

  const std::string& name() const;
  /// The type that inputs and weights are cast to.
  c10::ScalarType compute_type() const { return type_; }
  bool mixed() const { return type_ != c10::ScalarType::Float; }
  bool operator==(const DTypePolicy&) const = default;

 private:
  c10::ScalarType type_ = c10::ScalarType::Float;
};

/// The policy of layers that this thread makes from now on, as keras.config.set_dtype_policy. Nothing: float32, unless
/// compile says another.
void set_dtype_policy(const std::optional<DTypePolicy>& policy);
const std::optional<DTypePolicy>& dtype_policy();

/// The policy of layers that this thread makes while this is alive: Keras's argument `dtype` of each layer.
///
///     const DTypePolicyScope in_float32("float32");
class DTypePolicyScope {
 public:
  explicit DTypePolicyScope(const DTypePolicy& policy) : outer_(dtype_policy()) { set_dtype_policy(policy); }
  ~DTypePolicyScope() { set_dtype_policy(outer_); }
  DTypePolicyScope(const DTypePolicyScope&) = delete;
  DTypePolicyScope& operator=(const DTypePolicyScope&) = delete;

 private:
  const std::optional<DTypePolicy> outer_;
};

}  // namespace tandem
