#include "tandem/distribution/module_replicas.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <c10/util/StringUtil.h>
#include <torch/nn/module.h>

#include <algorithm>
#include <cstring>

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

void copy_from(int64_t root, Tensor tensor, const ProcessGroup& group) {
  Tensor data = tensor.detach();
  group.broadcast(data, root);
}

// Of all bits of a tensor, eight bytes at a time.
int64_t digest_of(const Tensor& tensor) {
  const Tensor bytes = tensor.detach().contiguous().view({-1}).view(at::kByte);
  const auto* data = static_cast<const char*>(bytes.const_data_ptr());
  const auto size = static_cast<std::size_t>(bytes.numel());
  uint64_t digest = 0;
  for (std::size_t i = 0; i < size; i += sizeof(uint64_t)) {
    uint64_t word = 0;
    std::memcpy(&word, data + i, std::min(sizeof(word), size - i));
    digest = (digest ^ word) * 0x9e3779b97f4a7c15;  // odd: what differs once goes on to differ
    digest ^= digest >> 32;
  }
  return static_cast<int64_t>(digest);
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
  broadcast_parameters(module, group);
  broadcast_buffers(module, group);
}

void broadcast_parameters(torch::nn::Module& module, const ProcessGroup& group, int64_t root) {
  for (auto& parameter : module.parameters()) copy_from(root, parameter, group);
}

void broadcast_buffers(torch::nn::Module& module, const ProcessGroup& group, int64_t root) {
  for (auto& buffer : module.buffers()) copy_from(root, buffer, group);
}

void share_buffers(torch::nn::Module& module, const ProcessGroup& group, RanksWithData* with_data) {
  if (!with_data) return broadcast_buffers(module, group);
  if (module.buffers().empty()) return;
  with_data->say(RanksWithData::Act::buffers);
  with_data->hear();
  broadcast_buffers(module, group, with_data->first());
  with_data->check_nobody_left();
}

void check_alike(const torch::nn::Module& module, const ProcessGroup& group) {
  std::vector<std::string> names;
  std::vector<int64_t> digests;
  const auto add = [&](const auto& named) {
    for (const auto& one : named) {
      names.push_back(one.key());
      digests.push_back(digest_of(one.value()));
    }
  };
  add(module.named_parameters());
  add(module.named_buffers());
  const auto all = group.all_gather(at::tensor(digests));
  for (std::size_t i = 0; i < names.size(); ++i) {
    for (std::size_t r = 1; r < all.size(); ++r) {
      const auto place = static_cast<int64_t>(i);
      if (all[r][place].item<int64_t>() == all[0][place].item<int64_t>()) continue;
      throw InvalidArgument(c10::str("check_alike: all ranks must have the same values, but '", names[i], "' of rank ",
                                     r, " differs from rank 0's"));
    }
  }
}

ModuleGradients::Named named_parameters(const torch::nn::Module& module) {
  ModuleGradients::Named named;
  for (const auto& one : module.named_parameters()) named.emplace_back(one.key(), one.value());
  return named;
}

}  // namespace tandem::distribute
