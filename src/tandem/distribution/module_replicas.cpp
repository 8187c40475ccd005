#include "tandem/distribution/module_replicas.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <c10/util/StringUtil.h>
#include <torch/nn/module.h>

#include "tandem/core/error.h"
#include "tandem/core/random.h"

namespace tandem::distribute {
namespace {

std::string described(const torch::nn::Module& module) {
  std::string text;
  for (const auto& one : module.named_parameters())
    text += c10::str(one.key(), one.value().sizes(), one.value().scalar_type(), one.value().requires_grad());
  for (const auto& one : module.named_buffers())
    text += c10::str(one.key(), one.value().sizes(), one.value().scalar_type());
  return text;
}

void copy_from_first(Tensor tensor, const ProcessGroup& group) {
  Tensor data = tensor.detach();
  group.broadcast(data, 0);
}

}  // namespace

void begin_alike(torch::nn::Module& module, const ProcessGroup& group) {
  const uint64_t digest = RandomStream().fold(described(module)).key();  // equal on all ranks for equal texts
  const auto all = group.all_gather(at::full({}, static_cast<int64_t>(digest), at::kLong));
  for (std::size_t r = 1; r < all.size(); ++r) {
    if (at::equal(all[r], all[0])) continue;
    throw InvalidArgument(
        c10::str("DistributedDataParallel: all ranks must have the same parameters and buffers, but rank ", r,
                 "'s differ from rank 0's in number, name, type or shape"));
  }
  for (auto& parameter : module.parameters()) copy_from_first(parameter, group);
  broadcast_buffers(module, group);
}

void broadcast_buffers(torch::nn::Module& module, const ProcessGroup& group) {
  for (auto& buffer : module.buffers()) copy_from_first(buffer, group);
}

ModuleGradients::Named named_parameters(const torch::nn::Module& module) {
  ModuleGradients::Named named;
  for (const auto& one : module.named_parameters()) named.emplace_back(one.key(), one.value());
  return named;
}

}  // namespace tandem::distribute
