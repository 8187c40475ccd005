#include "tandem/comm/device_group.h"

#include <c10/core/impl/VirtualGuardImpl.h>
#include <c10/util/StringUtil.h>

#include <set>

#include "tandem/comm/device_backend.h"
#include "tandem/comm/device_meeting.h"
#include "tandem/comm/device_rank.h"
#include "tandem/core/error.h"
#include "tandem/core/gpu_plugin.h"

namespace tandem::comm {
namespace {

// NCCL where each rank has a card of its own; null: ranks move tensors themselves.
MakeDeviceBackends* backends_for(const std::vector<c10::Device>& devices) {
  std::set<c10::DeviceIndex> cards;
  for (const auto& device : devices) cards.insert(device.index());
  if (devices.size() < 2 || cards.size() < devices.size() || !devices.front().is_cuda()) return nullptr;
  return reinterpret_cast<MakeDeviceBackends*>(GpuPlugin::symbol(kMakeNcclBackends));
}

}  // namespace

DeviceGroup::DeviceGroup(const std::vector<c10::Device>& devices, double limit_seconds)
    : host_(static_cast<int64_t>(devices.size()), limit_seconds) {
  for (const auto& device : devices) {
    if (!device.is_cpu() && device.type() == devices.front().type()) continue;
    throw InvalidArgument(c10::str("DeviceGroup: ranks must be GPUs of one kind, got ", c10::Join(", ", devices)));
  }
  meetings_ = std::make_shared<DeviceMeetings>(devices, limit_seconds, backends_for(devices));
  for (int64_t r = 0; r < meetings_->world_size(); ++r)
    ranks_.push_back(std::make_unique<DeviceRank>(meetings_, r, host_.rank(r)));
}

DeviceGroup::~DeviceGroup() = default;

Communicator& DeviceGroup::rank(int64_t r) { return *ranks_.at(static_cast<std::size_t>(r)); }
const Communicator& DeviceGroup::rank(int64_t r) const { return *ranks_.at(static_cast<std::size_t>(r)); }

void DeviceGroup::abort(const std::string& reason) {
  host_.abort(reason);
  meetings_->abort(reason);
}

void DeviceGroup::reset() {
  for (int64_t r = 0; r < world_size(); ++r)
    c10::impl::VirtualGuardImpl(meetings_->device(r).type()).synchronizeDevice(meetings_->device(r).index());
  host_.reset();
  meetings_->reset();
  for (auto& rank : ranks_) rank->reset();
}

}  // namespace tandem::comm
