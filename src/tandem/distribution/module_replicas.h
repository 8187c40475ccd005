#pragma once
#include "tandem/distribution/module_gradients.h"
#include "tandem/distribution/process_group.h"

namespace torch::nn {
class Module;
}

/// What the copies of a module on all ranks share.
namespace tandem::distribute {

/// Gives every rank rank 0's parameters and buffers. Throws InvalidArgument on all ranks, naming the first rank whose
/// parameters or buffers have other names, types or shapes than rank 0's.
void begin_alike(torch::nn::Module& module, const ProcessGroup& group);
/// Gives every rank rank 0's buffers.
void broadcast_buffers(torch::nn::Module& module, const ProcessGroup& group);
/// In the module's order.
ModuleGradients::Named named_parameters(const torch::nn::Module& module);

}  // namespace tandem::distribute
