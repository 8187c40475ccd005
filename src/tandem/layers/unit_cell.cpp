#include "tandem/layers/unit_cell.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

namespace tandem {
namespace {

// x (..., in) times the gates of a kernel, each with its own mask on x where there are masks by gate.
Tensor masked_product(const Tensor& x, const Tensor& kernel, const std::vector<Tensor>& masks, int64_t first,
                      int64_t count, int64_t units) {
  if (masks.size() <= 1) return at::matmul(masks.empty() ? x : x * masks.front(), kernel);
  std::vector<Tensor> parts;
  for (int64_t gate = 0; gate < count; ++gate) {
    parts.push_back(
        at::matmul(x * masks[static_cast<std::size_t>(first + gate)], kernel.narrow(1, gate * units, units)));
  }
  return at::cat(parts, -1);
}

}  // namespace

UnitCell::UnitCell(std::string class_name, int64_t units, CellSettings settings, int64_t gates)
    : GatedCell(std::move(class_name), std::move(settings), gates), units_(units) {
  must_be_positive("units", units_);
}

Config UnitCell::get_config() const {
  return cell_config(settings(), class_name(), Config::object({{"units", units_}}), own_config());
}

void UnitCell::build(const Shape& input) {
  if (input.rank() != 2 || input.back() <= 0)
    throw_shape_error(*this, "one step's input must be (batch, features) with known features", input);
  in_ = input.back();
  kernel_ = add_weight("kernel", {in_, gates() * units_}, settings().kernel);
  recurrent_ = add_weight("recurrent_kernel", {units_, gates() * units_}, settings().recurrent);
  if (settings().use_bias) add_bias();
}

Tensor UnitCell::project(const Tensor& x, const std::vector<Tensor>& masks) const {
  if (x.size(-1) != in_) {
    throw_shape_error(*this, c10::str("the features of the input must be ", in_, ", as when it was built"),
                      Shape::of(x.sizes().vec()));
  }
  const Tensor bias = input_bias();
  if (masks.size() > 1) {
    const Tensor product = masked_product(x, kernel_.value(), masks, 0, gates(), units_);
    return bias.defined() ? product + bias : product;
  }
  // One product for all steps.
  const Tensor flat = (masks.empty() ? x : x * masks.front()).reshape({-1, in_});
  const Tensor product = bias.defined() ? at::addmm(bias, flat, kernel_.value()) : at::mm(flat, kernel_.value());
  auto sizes = x.sizes().vec();
  sizes.back() = gates() * units_;
  return product.view(sizes);
}

Tensor UnitCell::recurrent_product(const Tensor& h, const std::vector<Tensor>& masks, int64_t first,
                                   int64_t count) const {
  const Tensor whole = recurrent_.value();
  const Tensor kernel = count == gates() ? whole : whole.narrow(1, first * units_, count * units_);
  return masked_product(h, kernel, masks, first, count, units_);
}

}  // namespace tandem
