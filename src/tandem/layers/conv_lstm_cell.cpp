#include "tandem/layers/conv_lstm_cell.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include <algorithm>

#include "tandem/core/error.h"
#include "tandem/layers/kernel_layout.h"
#include "tandem/layers/spatial_size.h"

namespace tandem {
namespace {

// In Keras each of these gates has a mask of its own whatever the implementation.
CellSettings masks_by_gate(CellSettings settings) {
  settings.implementation = 1;
  return settings;
}

Config numbers_of(const Windows& windows, int64_t Window::*member) {
  std::vector<int64_t> numbers;
  for (const Window& window : windows) numbers.push_back(window.*member);
  return Config::list(numbers);
}

}  // namespace

ConvLSTMCellLayer::ConvLSTMCellLayer(int64_t filters, Windows windows, Padding padding, CellSettings settings)
    : GatedCell("ConvLSTMCell", masks_by_gate(std::move(settings)), 4),
      filters_(filters),
      windows_(std::move(windows)),
      padding_(padding) {
  must_be_positive("filters", filters_);
  const auto any_above_1 = [&](int64_t Window::*member) {
    return std::any_of(windows_.begin(), windows_.end(), [&](const Window& window) { return window.*member > 1; });
  };
  if (any_above_1(&Window::stride) && any_above_1(&Window::dilation))
    throw InvalidArgument(class_name() + ": strides and dilation_rate must not both be above 1");
  for (const Window& window : windows_) dense_.push_back({window.size, 1, 1});
}

Config ConvLSTMCellLayer::get_config() const {
  return cell_config(settings(), class_name(),
                     Config::object({{"filters", filters_},
                                     {"kernel_size", numbers_of(windows_, &Window::size)},
                                     {"strides", numbers_of(windows_, &Window::stride)},
                                     {"padding", to_string(padding_)},
                                     {"data_format", "channels_last"},
                                     {"dilation_rate", numbers_of(windows_, &Window::dilation)}}),
                     Config::object());
}

void ConvLSTMCellLayer::build(const Shape& input) {
  const std::size_t rank = windows_.size();
  if (input.rank() != static_cast<int64_t>(rank) + 2 || !input.without_batch().is_known()) {
    throw_shape_error(*this,
                      c10::str("one step's input must be (batch, ", spatial_axes(rank),
                               ", channels), known but for "
                               "the batch"),
                      input);
  }
  std::vector<int64_t> sizes, state;
  for (std::size_t axis = 0; axis < rank; ++axis) {
    sizes.push_back(windows_[axis].size);
    state.push_back(windows_[axis].outputs(input[static_cast<int64_t>(axis) + 1], padding_));
    if (state.back() <= 0) throw_shape_error(*this, "the input must be at least as large as the kernel", input);
  }
  state.push_back(filters_);
  state_ = Shape::of(state);
  const auto kernel_shape = [&](int64_t in) {
    auto all = sizes;
    all.push_back(in);
    all.push_back(4 * filters_);
    return Shape::of(all);
  };
  const auto in_memory = [&](WeightOptions options) {
    options.memory_order = channels_last_kernel(rank);
    return options;
  };
  kernel_ = add_weight("kernel", kernel_shape(input.back()), in_memory(settings().kernel));
  recurrent_ = add_weight("recurrent_kernel", kernel_shape(filters_), in_memory(settings().recurrent));
  if (!settings().use_bias) return;
  WeightOptions options = settings().bias;
  if (has_unit_forget_bias()) options.initializer = with_unit_forget_bias(options.initializer, filters_);
  bias_ = add_weight("bias", {4 * filters_}, options);
}

Tensor ConvLSTMCellLayer::convolve_gates(const Tensor& x, const Tensor& kernel, const std::vector<Tensor>& masks,
                                         const Windows& windows, Padding padding) const {
  // All steps are one batch of images.
  const bool steps = x.dim() == static_cast<int64_t>(windows.size()) + 3;
  const auto images = [&](const Tensor& t) { return steps ? t.flatten(0, 1) : t; };
  Tensor sums;
  if (masks.empty()) {
    sums = convolve(images(x), kernel_view(kernel), {}, windows, padding, 1);
  } else {
    std::vector<Tensor> parts;
    for (std::size_t gate = 0; gate < masks.size(); ++gate) {
      const Tensor own = kernel.narrow(-1, static_cast<int64_t>(gate) * filters_, filters_);
      parts.push_back(convolve(images(x * masks[gate]), kernel_view(own), {}, windows, padding, 1));
    }
    sums = at::cat(parts, -1);
  }
  return steps ? sums.unflatten(0, {x.size(0), x.size(1)}) : sums;
}

Tensor ConvLSTMCellLayer::project(const Tensor& x, const std::vector<Tensor>& masks) const {
  const Tensor sums = convolve_gates(x, kernel_.value(), masks, windows_, padding_);
  return bias_.defined() ? sums + bias_.value() : sums;
}

Tensors ConvLSTMCellLayer::advance(const Tensor& projected, const Tensors& states,
                                   const std::vector<Tensor>& masks) const {
  const Tensor inner = convolve_gates(states[0], recurrent_.value(), masks, dense_, Padding::same);
  const auto sums = (projected + inner).chunk(4, -1);
  const Tensor c = recurrent_activation(sums[1]) * states[1] + recurrent_activation(sums[0]) * activation(sums[2]);
  const Tensor h = recurrent_activation(sums[3]) * activation(c);
  return {h, h, c};
}

}  // namespace tandem
