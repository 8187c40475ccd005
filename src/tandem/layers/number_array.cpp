#include "tandem/layers/number_array.h"

#include <ATen/ATen.h>

#include "tandem/core/error.h"

namespace tandem {

Config array_to_config(const Tensor& array) {
  if (!array.defined()) return {};
  if (array.dim() == 0) return array.item<double>();
  Config::List list;
  for (const Tensor& part : array.unbind()) list.push_back(array_to_config(part));
  return list;
}

Tensor array_from_config(const Config& config) {
  if (config.is_null()) return {};
  // A numpy array: {"class_name": "__numpy__", "config": {"value": ..., "dtype": ...}}.
  if (config.is_object()) return array_from_config(config.at("config").at("value"));
  if (!config.is_list()) return at::scalar_tensor(config.as_double(), at::kDouble);
  std::vector<Tensor> parts;
  for (const Config& part : config.as_list()) {
    parts.push_back(array_from_config(part));
    if (!parts.back().defined() || parts.back().sizes() != parts.front().sizes())
      throw DataError("config: an array must hold numbers, or lists of one length, got " + config.shown());
  }
  return parts.empty() ? at::empty({0}, at::kDouble) : at::stack(parts);
}

}  // namespace tandem
