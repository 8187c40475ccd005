#include "tandem/model/multi_gpu.h"

#include <c10/util/StringUtil.h>

#include "tandem/core/error.h"
#include "tandem/core/log.h"
#include "tandem/distribution/mirrored.h"
#include "tandem/distribution/single_device.h"
#include "tandem/model/body.h"

namespace tandem {

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

Model multi_gpu_model(const Model& model, const Devices& devices, MultiGpuOptions) {
  if (devices.empty()) throw InvalidArgument("multi_gpu_model: must get at least one device, got none");
  check_available(devices);
  auto body = std::make_shared<ModelBody>(model.network());
  body->set_name(model.name());
  body->preprocessing() = model.body().preprocessing();
  body->set_default_strategy(devices.size() == 1 ? distribute::Strategy(distribute::SingleDevice(devices[0]))
                                                 : distribute::Strategy(distribute::Mirrored({.devices = devices})));
  return Model(std::move(body));
}

}  // namespace tandem
