#pragma once
#include <memory>
#include <string>
#include <vector>

#include "tandem/core/config.h"
#include "tandem/core/tensor.h"
#include "tandem/layers/layer_handle.h"
#include "tandem/layers/layer_with_arguments.h"

namespace tandem {

/// What one of Keras's operations computes.
struct OperationKind {
  /// Keras's module, "keras.src.ops.numpy", in which the class stands.
  std::string module;
  /// How many operands it takes: tensors and numbers; 0: one list of them.
  std::size_t operands;
  /// The settings with Keras's defaults, in its order; those without a default are null.
  Config settings;
  Tensor (*compute)(const std::vector<Tensor>& operands, const Config& settings);
  /// Keras's name of the output's type.
  std::string dtype = "float32";
};

/// An operation between layers: a layer without weights and masks whose class is one of Keras's operations. Calls may
/// have numbers for operands.
class OperationLayer : public LayerWithArguments {
 public:
  /// `settings` has a value for each of the kind's.
  OperationLayer(std::string class_name, const OperationKind& kind, Config settings);

  const OperationKind& kind() const { return kind_; }
  std::string class_name() const override { return class_name_; }
  Lowering lowering() const override { return Lowering::kNone; }
  Config get_config() const override { return settings_; }

  Shapes output_shapes_for(const CallArguments& arguments, const Shapes& inputs) override;
  Tensors call_for(const CallArguments& arguments, const Tensors& inputs, const CallContext& context) override;
  Shapes shapes_to_build(const CallArguments& arguments, const Shapes& inputs) const override;
  CallArguments plain_arguments(std::size_t inputs) const override;
  void build_many(const Shapes& inputs) override;

 private:
  Tensor compute(const CallArguments& arguments, const Tensors& inputs) const;

  std::string class_name_;
  const OperationKind& kind_;
  Config settings_;
};

/// The kind of that name in that module, "Add" of "keras.src.ops.numpy"; an empty module stands for any. Throws
/// InvalidArgument proposing the nearest names.
const OperationKind& operation_kind(const std::string& class_name, const std::string& module = {});

/// An operation from its class name and settings; what is missing has Keras's default. Throws InvalidArgument naming a
/// setting that the operation has not.
LayerHandle operation_from_config(const std::string& class_name, const std::string& module, const Config& config);

/// The operation's output for operands in a graph: KerasTensors by CallArguments::tensor, and numbers.
KerasTensor add_operation(const std::string& class_name, const Config& settings, const KerasTensors& tensors,
                          const Config::List& operands);

}  // namespace tandem
