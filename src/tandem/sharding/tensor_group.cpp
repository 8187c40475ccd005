#include "tandem/sharding/tensor_group.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/custom_function.h>

#include <vector>

namespace tandem::sharding {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

thread_local comm::Communicator* active_group = nullptr;

Tensor sum_over_group(const Tensor& own) {
  const bool narrow = at::isReducedFloatingType(own.scalar_type());
  Tensor sum = (narrow ? own.to(at::kFloat) : own).detach().clone(at::MemoryFormat::Contiguous);
  if (active_group) active_group->all_reduce(sum, {.what = "sum of a divided layer"});
  return narrow ? sum.to(own.scalar_type()) : sum;
}

Tensor joined(const Tensor& part, const Division& division, const Place& place) {
  auto sizes = part.sizes().vec();
  sizes.back() = division.length();
  if (!active_group) {
    const Tensor whole = at::zeros(sizes, part.options());
    put_part(whole, -1, division, place, part.detach());
    return whole;
  }
  // All ranks bring as much: (rows, blocks, the largest part).
  const int64_t rows = part.numel() / part.size(-1), most = division.count({0, place.ranks});
  Tensor own = part.detach().reshape({rows, division.blocks, division.count(place)});
  if (own.size(2) < most) own = at::constant_pad_nd(own, {0, most - own.size(2)});
  own = own.contiguous();
  Tensor all = at::empty({place.ranks * rows, division.blocks, most}, own.options());
  active_group->all_gather(own, all);
  std::vector<Tensor> parts;
  for (int64_t r = 0; r < place.ranks; ++r)
    parts.push_back(all.narrow(0, r * rows, rows).narrow(2, 0, division.count({r, place.ranks})));
  return at::cat(parts, 2).view(sizes);
}

Tensor own_part(const Tensor& whole, const Division& division, const Place& place) {
  return part_of(whole.detach(), -1, division, place).clone(at::MemoryFormat::Contiguous);
}

void remember(AutogradContext* context, const Division& division, const Place& place) {
  context->saved_data["numbers"] = std::vector<int64_t>{division.blocks, division.size, place.rank, place.ranks};
}

std::pair<Division, Place> remembered(AutogradContext* context) {
  const auto numbers = context->saved_data["numbers"].toIntVector();
  return {{numbers[0], numbers[1]}, {numbers[2], numbers[3]}};
}

struct Summed : torch::autograd::Function<Summed> {
  static Tensor forward(AutogradContext*, const Tensor& x) { return sum_over_group(x); }
  static variable_list backward(AutogradContext*, const variable_list& gradients) { return {gradients.front()}; }
};

struct Entered : torch::autograd::Function<Entered> {
  static Tensor forward(AutogradContext*, const Tensor& x) { return x.view_as(x); }
  static variable_list backward(AutogradContext*, const variable_list& gradients) {
    return {sum_over_group(gradients.front())};
  }
};

struct Gathered : torch::autograd::Function<Gathered> {
  static Tensor forward(AutogradContext* context, const Tensor& part, const Division& division, const Place& place) {
    remember(context, division, place);
    return joined(part, division, place);
  }
  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const auto [division, place] = remembered(context);
    return {own_part(gradients.front(), division, place), Tensor(), Tensor()};
  }
};

struct Sliced : torch::autograd::Function<Sliced> {
  static Tensor forward(AutogradContext* context, const Tensor& whole, const Division& division, const Place& place) {
    remember(context, division, place);
    return own_part(whole, division, place);
  }
  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const auto [division, place] = remembered(context);
    return {joined(gradients.front(), division, place), Tensor(), Tensor()};
  }
};

}  // namespace

TensorGroupScope::TensorGroupScope(comm::Communicator& communicator) : outer_(active_group) {
  active_group = &communicator;
}
TensorGroupScope::~TensorGroupScope() { active_group = outer_; }

Tensor summed(const Tensor& x) { return Summed::apply(x); }
// Nobody asks for the gradient of what needs none.
Tensor entered(const Tensor& x) { return x.requires_grad() && c10::GradMode::is_enabled() ? Entered::apply(x) : x; }
Tensor gathered(const Tensor& part, const Division& division, const Place& place) {
  return Gathered::apply(part, division, place);
}
Tensor sliced(const Tensor& whole, const Division& division, const Place& place) {
  return Sliced::apply(whole, division, place);
}

void add_up(std::vector<double>& values) {
  if (!active_group || values.empty()) return;
  Tensor sums = at::tensor(values, at::kDouble);
  active_group->all_reduce(sums, {.what = "numbers of a tensor group"});
  values.assign(sums.const_data_ptr<double>(), sums.const_data_ptr<double>() + values.size());
}

double sum_of(double own) {
  std::vector<double> one{own};
  add_up(one);
  return one.front();
}

}  // namespace tandem::sharding
