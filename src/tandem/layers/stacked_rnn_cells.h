#pragma once
#include <string>
#include <vector>

#include "tandem/layers/layer_handle.h"

namespace tandem::layers {

struct StackedRNNCellsOptions {
  std::string name = {};
};

/// Cells one on top of the other as one cell: each gets the output of the one below; its states are those of all, in
/// order. As keras.layers.StackedRNNCells. Throws InvalidArgument without cells, on a layer that is none, and on one
/// that is there twice.
class StackedRNNCells : public LayerHandle {
 public:
  explicit StackedRNNCells(const std::vector<LayerHandle>& cells, StackedRNNCellsOptions options = {});
  static StackedRNNCells from_config(const Config& config);
};

}  // namespace tandem::layers
