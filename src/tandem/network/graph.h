#pragma once
#include <string>
#include <vector>

#include "tandem/layers/keras_tensor.h"
#include "tandem/network/graph_order.h"
#include "tandem/network/network.h"

namespace tandem {

/// Whether graphs that are made from now on compute a ReLU together with the layer before it, where that layer can
/// (Layer::can_apply_relu) and nothing else reads the value between them. On unless told otherwise; for comparisons.
void set_fusion(bool on);

/// A network described by KerasTensors, as a functional keras.Model: layers may be shared, inputs and outputs several.
class Graph : public Network {
 public:
  /// Throws InvalidArgument when the outputs cannot be computed from the inputs.
  Graph(const KerasTensors& inputs, const KerasTensors& outputs);
  ~Graph() override;

  std::vector<LayerHandle> layers() const override;
  Shapes input_shapes() const override;
  std::vector<std::string> output_names() const override;
  std::string class_name() const override { return "Functional"; }
  Config get_config() const override;

  /// How a config nests the inputs and outputs: references in lists or objects (tensor_structure.h), as many as there
  /// are. An object's keys become the names of the outputs, as in Keras. Unset: a list, or one alone.
  void set_structure(Config inputs, Config outputs);
  const Config& input_structure() const { return input_structure_; }
  const Config& output_structure() const { return output_structure_; }

  void build_many(const Shapes& inputs) override;
  Tensors call_many(const Tensors& inputs, const CallContext& context) override;
  Shapes output_shapes(const Shapes& inputs) override;

  const KerasTensors& inputs() const { return inputs_; }
  const KerasTensors& outputs() const { return outputs_; }
  /// Nodes in an order in which they can be computed.
  const std::vector<std::shared_ptr<const Node>>& nodes() const { return order_.nodes; }

 private:
  // One layer call: which values it reads, where its outputs go, and which values nobody needs after it.
  struct Step {
    Layer* layer;
    uint64_t part;  // its number among all nodes' calls, which picks its stream of random numbers
    bool relu;      // max(0, output) is part of the step
    std::vector<std::size_t> reads;
    std::size_t writes;
    std::size_t count;
    std::vector<std::size_t> last_use;
  };
  void plan();
  void fuse_relus();
  void check_inputs(const Shapes& given) const;

  KerasTensors inputs_;
  KerasTensors outputs_;
  Config input_structure_, output_structure_;
  GraphOrder order_;
  std::vector<Step> steps_;
  std::vector<std::size_t> input_slots_;
  std::vector<std::size_t> output_slots_;
  std::size_t slots_ = 0;
};

}  // namespace tandem
