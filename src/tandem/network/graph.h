#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "tandem/layers/keras_tensor.h"
#include "tandem/network/graph_order.h"
#include "tandem/network/network.h"

namespace tandem {

/// Whether graphs that are made from now on compute a ReLU together with the layer before it, where that layer can
/// (Layer::can_apply_relu), nothing else reads the value between them, and both are placed on the same device. On
/// unless told otherwise; for comparisons.
void set_fusion(bool on);

/// One layer call of a graph: which values it reads, where its outputs go, and which values nobody needs after it.
struct GraphStep {
  Layer* layer;
  const CallArguments* arguments;  // of the node; null: the inputs alone
  std::optional<Device> device;    // of the DeviceScope in which the call was made
  uint64_t part;                   // its number among all nodes' calls, which picks its stream of random numbers
  bool relu;                       // max(0, output) is part of the step
  std::vector<std::size_t> reads;
  std::size_t writes;
  std::size_t count;
  std::vector<std::size_t> last_use;
  std::vector<std::size_t> without_mask = {};  // those of its inputs whose masks the layer must not see (masks_taken.h)

  /// What the layer gives, with the ReLU that is part of the step. `context` is the call's own.
  Tensors run(const Tensors& inputs, const CallContext& context) const;

 private:
  Tensors unmasked(Tensors inputs) const;
  Tensors call(const Tensors& inputs, const CallContext& context) const;
};

/// A network described by KerasTensors, as a functional keras.Model: layers may be shared, inputs and outputs several.
class Graph : public Network {
 public:
  /// What depends on which calls a graph has, and in which order: of GraphStep, `part` and `without_mask`.
  struct CallOrigin {
    uint64_t part = 0;
    std::vector<std::size_t> without_mask = {};
  };
  using CallOrigins = std::unordered_map<const Node*, CallOrigin>;
  /// Throws InvalidArgument when the outputs cannot be computed from the inputs. `origins`: of a graph that computes
  /// what another one does in other calls, what its calls have from there; empty: they are this graph's own.
  Graph(const KerasTensors& inputs, const KerasTensors& outputs, const CallOrigins& origins = {});
  ~Graph() override;

  std::vector<LayerHandle> layers() const override;
  Shapes input_shapes() const override;
  std::vector<std::string> output_names() const override;
  std::string class_name() const override { return "Functional"; }
  std::vector<std::shared_ptr<Layer>> output_layers() const override;
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
  /// What a call computes, in an order in which it can be computed; values are numbered from 0 to slots() - 1.
  const std::vector<GraphStep>& steps() const { return steps_; }
  const std::vector<std::size_t>& input_slots() const { return input_slots_; }
  const std::vector<std::size_t>& output_slots() const { return output_slots_; }
  std::size_t slots() const { return slots_; }
  /// The outputs, all of them computed on this thread, for inputs of the types that the Inputs name.
  Tensors run_steps(const Tensors& inputs, const CallContext& context) const;
  /// Throws InvalidArgument, naming the input, where these do not fit the Inputs: for who computes the steps in another
  /// way than by a call.
  void check_inputs(const Tensors& given) const;

 private:
  void plan(const CallOrigins& origins);
  void fuse_relus();
  void check_shapes(const Shapes& given) const;

  KerasTensors inputs_;
  KerasTensors outputs_;
  Config input_structure_, output_structure_;
  GraphOrder order_;
  std::vector<GraphStep> steps_;
  std::vector<std::size_t> input_slots_;
  std::vector<std::size_t> output_slots_;
  std::size_t slots_ = 0;
};

}  // namespace tandem
