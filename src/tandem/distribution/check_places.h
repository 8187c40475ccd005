#pragma once
#include <optional>
#include <string>

#include "tandem/core/device.h"
#include "tandem/distribution/process_group.h"

namespace tandem::distribute {

// What strategies ask of the places that they are given; each throws InvalidArgument in the name of `who`, a strategy.

/// That several ranks of the group are processes.
void check_processes(const std::string& who, const std::optional<ProcessGroup>& group);
/// That no device is a GPU. `what`: what the devices are called.
void check_cpus(const std::string& who, const Devices& devices, const char* what = "devices");

}  // namespace tandem::distribute
