#pragma once
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tandem/core/device.h"
#include "tandem/core/shape.h"

namespace tandem {

class Layer;
struct CallArguments;
struct Node;

/// A value of a graph that is being described: output `index` of a node. Holds no numbers.
class KerasTensor {
 public:
  KerasTensor() = default;
  KerasTensor(std::shared_ptr<const Node> node, int64_t index) : node_(std::move(node)), index_(index) {}

  bool empty() const { return !node_; }
  /// Throws InvalidArgument on an empty tensor.
  const std::shared_ptr<const Node>& node() const;
  int64_t index() const { return index_; }
  const Shape& shape() const;
  bool operator==(const KerasTensor&) const = default;

 private:
  std::shared_ptr<const Node> node_;
  int64_t index_ = 0;
};

/// Converts from one tensor, a braced list or a vector.
class KerasTensors {
 public:
  KerasTensors() = default;
  KerasTensors(const KerasTensor& one) : items_{one} {}
  KerasTensors(std::initializer_list<KerasTensor> items) : items_(items) {}
  KerasTensors(std::vector<KerasTensor> items) : items_(std::move(items)) {}

  int64_t size() const { return static_cast<int64_t>(items_.size()); }
  bool empty() const { return items_.empty(); }
  const KerasTensor& operator[](int64_t i) const { return items_[static_cast<std::size_t>(i)]; }
  auto begin() const { return items_.begin(); }
  auto end() const { return items_.end(); }

 private:
  std::vector<KerasTensor> items_;
};

/// One use of a layer in a graph. A node holds its layer; a layer never holds its nodes.
struct Node {
  std::shared_ptr<Layer> layer;
  std::vector<KerasTensor> inputs;                 // empty for an Input
  std::shared_ptr<const CallArguments> arguments;  // null: the inputs alone
  Shapes output_shapes;
  std::optional<Device> device;     // from the DeviceScope in which the node was made
  uint64_t number = next_number();  // counts nodes as they are made: a saved config lists a layer's calls in this order
  bool is_input() const { return inputs.empty(); }

 private:
  static uint64_t next_number();
};

/// While alive, nodes made on this thread are placed on `device` (docs/placement.md). Scopes nest; the inner one wins.
class DeviceScope {
 public:
  explicit DeviceScope(const Device& device);
  ~DeviceScope();
  DeviceScope(const DeviceScope&) = delete;
  DeviceScope& operator=(const DeviceScope&) = delete;

  static const std::optional<Device>& current();

 private:
  std::optional<Device> outer_;
};

}  // namespace tandem
