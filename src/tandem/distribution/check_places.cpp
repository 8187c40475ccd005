#include "tandem/distribution/check_places.h"

#include <c10/util/StringUtil.h>

#include "tandem/core/error.h"
#include "tandem/schedule/catalog.h"

namespace tandem::distribute {

void check_processes(const std::string& who, const std::optional<ProcessGroup>& group) {
  if (!group || group->world_size() == 1 || group->processes()) return;
  throw InvalidArgument(who + ": the group's ranks must be processes, as those of init_process_group()");
}

void check_cpus(const std::string& who, const Devices& devices, const char* what) {
  for (const auto& device : devices) {
    if (device.kind == Device::Kind::gpu)
      throw InvalidArgument(
          c10::str(who, ": ", what, " must be CPUs, got ", devices.to_string(), "; Mirrored runs on GPUs"));
  }
}

void check_schedule(const std::string& who, const std::string& name, const schedule::Division& division) {
  try {
    schedule::schedule_by_name(name)(0, division);
  } catch (const InvalidArgument& error) {
    throw InvalidArgument(who + ": " + error.what());
  }
}

void check_memory_limit(const std::string& who, int64_t bytes) {
  if (bytes < 0) throw InvalidArgument(c10::str(who, ": memory_limit must be positive, or 0 for none, got ", bytes));
}

}  // namespace tandem::distribute
