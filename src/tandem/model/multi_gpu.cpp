#include "tandem/model/multi_gpu.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include "tandem/core/error.h"
#include "tandem/core/log.h"
#include "tandem/distribution/mirrored.h"
#include "tandem/distribution/single_device.h"
#include "tandem/model/body.h"

namespace tandem {

namespace {

void check_one_kind(const Devices& devices) {
  for (const auto& device : devices) {
    if (device.kind == devices[0].kind) continue;
    throw InvalidArgument(
        c10::str("multi_gpu_model: devices must be of one kind, CPUs or GPUs, got ", devices.to_string()));
  }
}

void move_to_host(const Network& network) {
  for (const auto& weight : network.weights()) {
    Tensor& value = weight.variable().value;
    if (!value.is_cpu()) value = value.to(at::kCPU);
  }
}

}  // namespace

Model multi_gpu_model(const Model& model) { return multi_gpu_model(model, MultiGpuOptions{}); }

Model multi_gpu_model(const Model& model, MultiGpuOptions options) {
  if (visible_gpus() == 0)
    throw InvalidArgument("multi_gpu_model: no GPU is visible; name devices, as in Devices{\"cpu:0\", \"cpu:1\"}");
  return multi_gpu_model(model, visible_gpus(), options);
}

Model multi_gpu_model(const Model& model, int64_t gpus, MultiGpuOptions options) {
  if (gpus < 1) throw InvalidArgument(c10::str("multi_gpu_model: must get at least 1 GPU, got ", gpus));
  if (gpus == 1) {
    log_info(c10::str("multi_gpu_model: 1 device asked for, '", model.name(), "' stays as it is"));
    return model;
  }
  return multi_gpu_model(model, Devices::gpus(gpus), options);
}

Model multi_gpu_model(const Model& model, std::initializer_list<int64_t> ids, MultiGpuOptions options) {
  return multi_gpu_model(model, std::vector<int64_t>(ids), options);
}

Model multi_gpu_model(const Model& model, const Devices& devices, MultiGpuOptions options) {
  if (devices.empty()) throw InvalidArgument("multi_gpu_model: must get at least one device, got none");
  check_one_kind(devices);
  check_available(devices);
  auto body = std::make_shared<ModelBody>(model.network());
  body->set_name(model.name());
  body->preprocessing() = model.body().preprocessing();
  body->set_places({.weights_on_host = options.cpu_relocation, .outputs_on_first_device = !options.cpu_merge});
  if (options.cpu_relocation) move_to_host(*model.network());
  body->set_default_strategy(devices.size() == 1 ? distribute::Strategy(distribute::SingleDevice(devices[0]))
                                                 : distribute::Strategy(distribute::Mirrored({.devices = devices})));
  return Model(std::move(body));
}

}  // namespace tandem
