#include <c10/util/StringUtil.h>
#include <torch/nn/modules/container/sequential.h>

#include "tandem/core/error.h"
#include "tandem/distribution/sync_batch_norm.h"

namespace tandem::distribute {
namespace {

using Exchange = std::shared_ptr<StatisticsExchange>;

// Null unless `module` is a batch norm.
std::shared_ptr<SyncBatchNormImpl> in_place_of(const torch::nn::Module& module) {
  using torch::nn::BatchNorm1dImpl, torch::nn::BatchNorm2dImpl, torch::nn::BatchNorm3dImpl;
  if (const auto* norm = module.as<BatchNorm1dImpl>()) return SyncBatchNormImpl::in_place_of(*norm);
  if (const auto* norm = module.as<BatchNorm2dImpl>()) return SyncBatchNormImpl::in_place_of(*norm);
  if (const auto* norm = module.as<BatchNorm3dImpl>()) return SyncBatchNormImpl::in_place_of(*norm);
  return nullptr;
}

bool is_norm(const torch::nn::Module& module) {
  return module.as<torch::nn::BatchNorm1dImpl>() || module.as<torch::nn::BatchNorm2dImpl>() ||
         module.as<torch::nn::BatchNorm3dImpl>();
}

[[noreturn]] void throw_cannot_replace(const std::string& names) {
  throw InvalidArgument(c10::str(
      "convert_sync_batchnorm: ", names,
      " cannot be replaced, since no torch::nn::Sequential holds it and a member calls its own class; declare it "
      "as distribute::SyncBatchNorm"));
}

void check_all_can_be_replaced(const torch::nn::Module& module) {
  if (is_norm(module)) throw_cannot_replace(c10::str("the ", module.name(), " itself"));
  std::string names;
  const auto look = [&](const torch::nn::Module& holder, const std::string& prefix) {
    if (holder.as<torch::nn::Sequential>()) return;
    for (const auto& child : holder.named_children()) {
      if (is_norm(*child.value())) names += c10::str(names.empty() ? "'" : ", '", prefix, child.key(), "'");
    }
  };
  look(module, "");
  for (const auto& one : module.named_modules("", /*include_self=*/false)) look(*one.value(), one.key() + ".");
  if (!names.empty()) throw_cannot_replace(names);
}

void convert_in(torch::nn::SequentialImpl& holder, const Exchange& exchange) {
  const auto names = holder.named_children().keys();
  std::size_t i = 0;
  for (auto& entry : holder) {
    if (auto sync = in_place_of(*entry.ptr())) {
      sync->set_exchange(exchange);
      holder.replace_module(names[i], sync);
      entry = torch::nn::AnyModule(sync);
    }
    ++i;
  }
}

}  // namespace

void convert_sync_batchnorm(torch::nn::Module& module, const ProcessGroup& group) {
  check_all_can_be_replaced(module);
  const auto exchange = std::make_shared<StatisticsExchange>(group);
  module.apply([&](torch::nn::Module& one) {
    if (auto* sequential = one.as<torch::nn::Sequential>()) convert_in(*sequential, exchange);
    if (auto* sync = one.as<SyncBatchNormImpl>()) sync->set_exchange(exchange);
  });
}

}  // namespace tandem::distribute
