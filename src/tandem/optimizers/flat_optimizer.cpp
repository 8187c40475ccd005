#include "tandem/optimizers/flat_optimizer.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <c10/core/GradMode.h>

#include "tandem/optimizers/flat_view.h"

namespace tandem {
namespace {

// Elements that one thread takes at least: below, starting threads costs more than it saves.
constexpr int64_t kUpdateGrain = 32768;

}  // namespace

void FlatOptimizer::update(Tensor& parameter, const Tensor& gradient, std::span<Tensor> slots, int64_t iteration,
                           double rate) const {
  check_slots(slots);
  std::array<const Tensor*, 2 + kMostSlots> list{&parameter, &gradient};
  for (std::size_t i = 0; i < slots.size(); ++i) list[2 + i] = &slots[i];
  const std::span<const Tensor* const> tensors(list.data(), 2 + slots.size());
  check_same_count(tensors, class_name());

  const Step step{iteration, rate, 1 - rate * weight_decay()};
  if (same_flat_memory(tensors, at::kFloat)) return update_flat<float>(step, parameter, gradient, slots);
  if (same_flat_memory(tensors, at::kDouble)) return update_flat<double>(step, parameter, gradient, slots);

  const c10::AutoGradMode no_gradient(false);
  if (step.keep != 1) parameter.mul_(step.keep);
  std::vector<Tensor> shaped;
  for (const Tensor& slot : slots) shaped.push_back(slot.view_as(parameter));
  apply(step, parameter, gradient.to(parameter.scalar_type()).reshape(parameter.sizes()), shaped);
}

template <class T>
void FlatOptimizer::update_flat(const Step& step, Tensor& parameter, const Tensor& gradient,
                                std::span<Tensor> slots) const {
  Elements<T> all{parameter.mutable_data_ptr<T>(), gradient.const_data_ptr<T>(), {}, parameter.numel()};
  for (std::size_t i = 0; i < slots.size(); ++i) all.slots[i] = slots[i].mutable_data_ptr<T>();
  at::parallel_for(0, all.count, kUpdateGrain, [&](int64_t begin, int64_t end) {
    Elements<T> part{all.weight + begin, all.gradient + begin, {}, end - begin};
    for (std::size_t i = 0; i < slots.size(); ++i) part.slots[i] = all.slots[i] + begin;
    apply(step, part);
  });
}

}  // namespace tandem
