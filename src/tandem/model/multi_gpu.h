#pragma once
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <vector>

#include "tandem/core/device.h"
#include "tandem/model/model.h"

namespace tandem {

/// As in keras.utils.multi_gpu_model of Keras 2. Replicas are merged by adding up gradients, whatever is said here;
/// both say where memory is taken, and Model::placement() shows it.
struct MultiGpuOptions {
  /// True: predict brings the replicas' outputs together in host memory. False: on the first device.
  bool cpu_merge = true;
  /// True: the template's weights, which are saved and which replicas are loaded from, live in host memory, even where
  /// the template was made within a DeviceScope of a GPU; they are moved there for the template, too. False: they stay
  /// where the template was made. (Keras makes a copy of the template, which training then does not reach.)
  bool cpu_relocation = false;
};

/// The model on many devices: it shares the template's weights, so that training one trains the other, and whatever
/// saves it saves the template. Compile it as any model; every batch is divided over the devices by rows, each input
/// and output alike, however they are nested. Give a number of GPUs, a list of ids of visible GPUs in any order, or
/// Devices of one kind; nothing: all visible GPUs. One GPU by number is the model itself, and a log line says so; one
/// by id or as Devices is a model on that device. Throws InvalidArgument that names the devices asked for and the
/// devices visible, and on a device named twice.
Model multi_gpu_model(const Model& model);
Model multi_gpu_model(const Model& model, MultiGpuOptions options);
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
