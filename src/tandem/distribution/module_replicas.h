#pragma once
#include "tandem/distribution/module_gradients.h"
#include "tandem/distribution/process_group.h"
#include "tandem/distribution/ranks_with_data.h"

namespace torch::nn {
class Module;
}

/// What the copies of a module on all ranks share.
namespace tandem::distribute {

/// Gives every rank rank 0's parameters and buffers. Throws InvalidArgument on all ranks, naming the first rank whose
/// parameters or buffers have other names, types or shapes than rank 0's.
void begin_alike(torch::nn::Module& module, const ProcessGroup& group);
/// Gives every rank rank `root`'s buffers.
void broadcast_buffers(torch::nn::Module& module, const ProcessGroup& group, int64_t root = 0);
/// The same of its parameters.
void broadcast_parameters(torch::nn::Module& module, const ProcessGroup& group, int64_t root = 0);
/// Before a forward pass: every rank gets the buffers of the first rank that has data.
void share_buffers(torch::nn::Module& module, const ProcessGroup& group, RanksWithData* with_data);
/// Throws InvalidArgument on all ranks where parameters or buffers differ in a bit; see DistributedDataParallel.
void check_alike(const torch::nn::Module& module, const ProcessGroup& group);
/// In the module's order.
ModuleGradients::Named named_parameters(const torch::nn::Module& module);

}  // namespace tandem::distribute
