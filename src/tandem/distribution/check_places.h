#pragma once
#include <optional>
#include <string>

#include "tandem/core/device.h"
#include "tandem/distribution/process_group.h"
#include "tandem/schedule/instruction.h"

namespace tandem::distribute {

// What strategies ask of the places that they are given; each throws InvalidArgument in the name of `who`, a strategy.

/// That several ranks of the group are processes.
void check_processes(const std::string& who, const std::optional<ProcessGroup>& group);
/// That no device is a GPU. `what`: what the devices are called.
void check_cpus(const std::string& who, const Devices& devices, const char* what = "devices");
/// That a stage has a list of instructions.
void check_schedule(const std::string& who, const std::string& name, const schedule::Division& division);
/// That it is a limit, or 0 for none.
void check_memory_limit(const std::string& who, int64_t bytes);

}  // namespace tandem::distribute
