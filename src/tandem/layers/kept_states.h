#pragma once
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "tandem/core/tensor.h"

namespace tandem {

class Layer;

/// What stateful layers carry over from one call to the next for one replica's rows (CallContext::states). Layers on
/// several devices may ask at the same time.
class KeptStates {
 public:
  /// What `layer` has kept under this `generation`, which it counts up to forget; nothing where there is none.
  Tensors find(const Layer& layer, uint64_t generation);
  void keep(const Layer& layer, uint64_t generation, Tensors states);

 private:
  struct Entry {
    std::weak_ptr<const Layer> layer;  // another layer may have its address later
    uint64_t generation = 0;
    Tensors states;
  };
  std::mutex mutex_;
  std::unordered_map<const Layer*, Entry> entries_;
};

}  // namespace tandem
