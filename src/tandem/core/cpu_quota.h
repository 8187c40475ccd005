#pragma once
#include <filesystem>
#include <optional>

namespace tandem {

/// CPU time that this process's control group may use, in cores (1.5: a core and a half), the smallest of the group's
/// and its ancestors'; nothing when there is no limit. Reads cgroup v2 (cpu.max) and v1 (cpu.cfs_quota_us,
/// cpu.cfs_period_us) below `root`, which is the file system's root outside tests.
std::optional<double> cpu_quota(const std::filesystem::path& root = "/");

}  // namespace tandem
