#pragma once
#include <string>
#include <utility>

#include "tandem/distribution/bind_pipeline.h"
#include "tandem/distribution/bind_tensor.h"

namespace tandem::distribute {

/// What TensorParallel and Mesh name: a checked mesh.
class TensorKind final : public StrategyKind {
 public:
  TensorKind(std::string name, TensorMesh mesh) : name_(std::move(name)), mesh_(std::move(mesh)) {}
  std::string name() const override { return name_; }
  Devices devices() const override { return mesh_.devices; }
  int64_t all_devices() const override { return mesh_.all_devices(); }
  bool leads() const override { return mesh_.leads(); }
  std::string plan(const Network& network) const override { return plan_of(mesh_, network); }
  void check(const Network& network) const override { check_network(mesh_, network); }
  void check_optimizer(const Optimizer& optimizer) const override { distribute::check_optimizer(mesh_, optimizer); }
  void check_losses(const LossSet& losses) const override {
    if (mesh_.pipe > 1) check_stage_losses(mesh_.who, losses);
  }
  std::unique_ptr<Execution> bind(const Program& program) const override { return bind_tensor(mesh_, program); }

 private:
  const std::string name_;
  const TensorMesh mesh_;
};

}  // namespace tandem::distribute
