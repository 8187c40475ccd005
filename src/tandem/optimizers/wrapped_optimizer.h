#pragma once
#include <memory>
#include <utility>

#include "tandem/optimizers/optimizer.h"

namespace tandem {

/// Base of what stands in front of an optimizer's rule and keeps slots and numbers of its own in front of the rule's.
/// Its class name is the rule's, and its config adds to the rule's.
class WrappedOptimizer : public Optimizer {
 public:
  /// `own_slots`: names of its own.
  WrappedOptimizer(std::shared_ptr<Optimizer> rule, std::vector<std::string> own_slots)
      : Optimizer(rule->rate(), rule->clipping(), rule->class_name()),
        rule_(std::move(rule)),
        own_slots_(std::move(own_slots)) {}

  std::vector<std::string> slots() const override {
    auto names = own_slots_;
    const auto more = rule_->slots();
    names.insert(names.end(), more.begin(), more.end());
    return names;
  }
  double initial_slot(std::size_t slot) const override { return is_own(slot) ? 0 : rule_->initial_slot(of_rule(slot)); }
  Shape slot_shape(std::size_t slot, const Shape& weight) const override {
    return is_own(slot) ? weight : rule_->slot_shape(of_rule(slot), weight);
  }
  std::vector<double> derived_values(int64_t iterations) const override { return rule_->derived_values(iterations); }
  std::optional<std::size_t> weight_average_slot() const override {
    const auto slot = rule_->weight_average_slot();
    return slot ? std::optional(*slot + own_slots_.size()) : slot;
  }
  int64_t gradient_accumulation_steps() const override { return rule_->gradient_accumulation_steps(); }
  std::vector<double> initial_numbers() const override { return rule_->initial_numbers(); }
  double loss_scale(std::span<const double> numbers) const override { return rule_->loss_scale(numbers); }
  bool prepares() const override { return rule_->prepares(); }
  bool prepare(const Preparation& all) const override { return rule_->prepare(without_own_slots(all)); }
  void update(Tensor& parameter, const Tensor& gradient, std::span<Tensor> slots, int64_t iteration,
              double rate) const override {
    rule_->update(parameter, gradient, slots.subspan(own_slots_.size()), iteration, rate);
  }
  bool elementwise() const override { return rule_->elementwise(); }
  std::string class_name() const override { return rule_->class_name(); }
  /// The rule's, with the rate, which the rule does not hear of when it is set later.
  Config get_config() const override;

 protected:
  const Optimizer& rule() const { return *rule_; }
  Preparation without_own_slots(Preparation all) const {
    all.slots = all.slots.subspan(own_slots_.size());
    return all;
  }

 private:
  bool is_own(std::size_t slot) const { return slot < own_slots_.size(); }
  std::size_t of_rule(std::size_t slot) const { return slot - own_slots_.size(); }

  std::shared_ptr<Optimizer> rule_;
  std::vector<std::string> own_slots_;
};

}  // namespace tandem
