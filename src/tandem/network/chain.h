#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tandem/network/graph.h"
#include "tandem/network/network.h"

namespace tandem {

/// One layer after the other, as keras.Sequential. Without an Input it is built when the first batch shows its shape.
class Chain : public Network {
 public:
  Chain() = default;
  ~Chain() override { outputs_.clear(); }  // before the graph, which frees its nodes one by one

  /// The entry; must come first and once. Throws InvalidArgument otherwise.
  void add(const KerasTensor& input);
  void add(const LayerHandle& layer);
  /// The entry of a chain that got its layers first. Throws InvalidArgument when it has one, or a layer does not fit.
  void start(const KerasTensor& input);

  /// The layers that were added; the Input is not one of them, as in Keras.
  std::vector<LayerHandle> layers() const override { return layers_; }
  Shapes input_shapes() const override;
  std::vector<std::string> output_names() const override;
  std::string class_name() const override { return "Sequential"; }
  std::vector<std::shared_ptr<Layer>> output_layers() const override {
    if (layers_.empty()) return {};
    return {layers_.back().get()};
  }
  Config get_config() const override;

  void build_many(const Shapes& inputs) override;
  Tensors call_many(const Tensors& inputs, const CallContext& context) override;
  Shapes output_shapes(const Shapes& inputs) override;

  /// The entry, once it is known.
  const std::optional<KerasTensor>& input() const { return input_; }
  /// The graph, null before it is built.
  const std::shared_ptr<Graph>& graph() const { return graph_; }

 private:
  void rebuild();

  std::optional<KerasTensor> input_;
  std::vector<LayerHandle> layers_;
  std::vector<KerasTensor> outputs_;  // after each layer
  std::shared_ptr<Graph> graph_;
};

}  // namespace tandem
