#pragma once
#include <string>

#include "tandem/layers/layer_handle.h"
#include "tandem/saving/load_report.h"

namespace tandem {

/// Writes a TorchModule's weights into a safetensors file as the state_dict of PyTorch: parameters and buffers under
/// the module's own names, "conv.weight", "bn.num_batches_tracked", in its own layout and types. In Python:
/// `module.load_state_dict(safetensors.torch.load_file(path))`. The module holds what fit trained; after train_on_batch
/// call get_weights of the model first. Throws InvalidArgument for another layer and for one that is not built,
/// DataError when the file cannot be written.
void save_state_dict(const LayerHandle& module, const std::string& path);

/// Reads such a file, or one that `safetensors.torch.save_file(module.state_dict(), path)` wrote, into a TorchModule
/// that is built. What was not loaded is in the report and in a warning. Throws InvalidArgument as above; DataError,
/// with nothing changed, naming the file and the tensor, when a name is missing or left over (unless options.by_name),
/// when a shape differs (unless options.skip_mismatch), when nothing fits, and when the file is damaged.
saving::LoadReport load_state_dict(const LayerHandle& module, const std::string& path,
                                   const saving::LoadWeightsOptions& options = {});

}  // namespace tandem
