#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>

#include "tandem/comm/sum_tree.h"
#include "tandem/servers/plan_test.h"

namespace tandem::servers {

ServerPlan plan_of(const std::string& optimizer, const Config& config, ServerPlan wishes, int64_t servers,
                   int64_t block_bytes) {
  wishes.weights = {{"kernel", 0, {7, 5}}, {"columns", 48, {3, 4}, {1, 3}}, {"bias", 64, {1}}, {"last", 80, {33}}};
  wishes.elements = 128;
  return divide_among_servers(wishes, *Optimizer::make(optimizer, config), servers, block_bytes);
}

std::vector<std::pair<std::string, Config>> rules() {
  return {{"SGD", Config::object({{"learning_rate", 0.1}, {"momentum", 0.9}})},
          {"Adam", Config::object()},
          {"Adam", Config::object({{"clipnorm", 0.5}})},
          {"SGD", Config::object({{"clipvalue", 0.5}, {"momentum", 0.9}})},
          {"SGD", Config::object({{"gradient_accumulation_steps", int64_t{2}}})},
          {"Lamb", Config::object()}};
}

std::vector<Tensor> some_gradients(const ServerPlan& plan, int64_t workers, int64_t step) {
  auto generator = at::detail::createCPUGenerator(static_cast<uint64_t>(step) + 1);
  std::vector<Tensor> gradients;
  for (int64_t w = 0; w < workers; ++w) {
    gradients.push_back(at::zeros({plan.elements}));
    for (const auto& weight : plan.weights)
      gradients.back().narrow(0, weight.offset, weight.count()).normal_(0, 1, generator);
  }
  return gradients;
}

Tensor tree_sum(const std::vector<Tensor>& gradients) {
  Tensor sum = at::empty_like(gradients[0]);
  std::vector<const void*> addends;
  for (const auto& gradient : gradients) addends.push_back(gradient.const_data_ptr());
  void* result = sum.mutable_data_ptr();
  comm::sum_along_tree(at::kFloat, addends.data(), static_cast<int64_t>(addends.size()), &result, 1, {0, sum.numel()});
  return sum;
}

PlainTraining::PlainTraining(const ServerPlan& plan)
    : plan_(plan), optimizer_(make_optimizer(plan)), parameters_(at::zeros({plan.elements})) {
  for (std::size_t s = 0; s < optimizer_->slots().size(); ++s)
    slots_.push_back(at::full({plan.elements}, optimizer_->initial_slot(s), at::kFloat));
  numbers_ = optimizer_->initial_numbers();
}

void PlainTraining::update(Tensor gradient) {
  std::vector<FlatPlace> places;
  for (const auto& weight : plan_.weights) places.push_back({weight.offset, weight.count()});
  const double rate = optimizer_->learning_rate(iteration_);
  if (optimizer_->prepares() && !optimizer_->prepare({gradient, slots_, places, iteration_, numbers_})) return;
  if (optimizer_->elementwise()) {
    optimizer_->update(parameters_, gradient, slots_, iteration_, rate);
  } else {
    for (const auto& weight : plan_.weights) {
      const auto view = [&](const Tensor& buffer) {
        const auto flat = buffer.narrow(0, weight.offset, weight.count());
        return weight.strides.empty() ? flat.view(weight.shape)
                                      : flat.as_strided(weight.shape, weight.strides, weight.offset);
      };
      std::vector<Tensor> slots;
      for (const auto& slot : slots_) slots.push_back(view(slot));
      auto value = view(parameters_);
      optimizer_->update(value, view(gradient), slots, iteration_, rate);
    }
  }
  ++iteration_;
}

}  // namespace tandem::servers
