#pragma once
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <vector>

#include "tandem/core/device.h"
#include "tandem/model/model.h"

namespace tandem {

/// As in keras.utils.multi_gpu_model. Here replicas merge by summing gradients, so both say where the template's
/// weights live.
struct MultiGpuOptions {
  bool cpu_merge = true;        // outputs of predict are merged in host memory
  bool cpu_relocation = false;  // the template's weights are kept in host memory
};

/// The model on many devices: it shares the template's weights, so that training one trains the other and what is saved
/// is the template. Compile it as any model; every batch is divided over the devices. Give a number of GPUs, a list of
/// ids of visible GPUs, or Devices. Throws InvalidArgument that names the devices asked for and the devices visible.
Model multi_gpu_model(const Model& model, int64_t gpus, MultiGpuOptions options = {});
Model multi_gpu_model(const Model& model, std::initializer_list<int64_t> ids, MultiGpuOptions options = {});
Model multi_gpu_model(const Model& model, const Devices& devices, MultiGpuOptions options = {});
template <std::integral I>
Model multi_gpu_model(const Model& model, const std::vector<I>& ids, MultiGpuOptions options = {}) {
  std::vector<Device> devices;
  for (I id : ids) devices.emplace_back("gpu:" + std::to_string(id));
  return multi_gpu_model(model, Devices::of(std::move(devices)), options);
}

}  // namespace tandem
