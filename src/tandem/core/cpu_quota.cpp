#include "tandem/core/cpu_quota.h"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>

namespace tandem {
namespace {

namespace fs = std::filesystem;

void keep_smaller(std::optional<double>& smallest, double cores) {
  smallest = smallest ? std::min(*smallest, cores) : cores;
}

// v2: "max 100000" or "150000 100000", quota and period in microseconds.
void read_v2(const fs::path& group, std::optional<double>& smallest) {
  std::ifstream file(group / "cpu.max");
  double quota = 0, period = 0;
  if (file >> quota >> period && period > 0) keep_smaller(smallest, quota / period);
}

// v1: -1 stands for no limit.
void read_v1(const fs::path& group, std::optional<double>& smallest) {
  std::ifstream quota_file(group / "cpu.cfs_quota_us"), period_file(group / "cpu.cfs_period_us");
  double quota = 0, period = 0;
  if (quota_file >> quota && period_file >> period && quota > 0 && period > 0) keep_smaller(smallest, quota / period);
}

// Reads `group` below `mount` and every group above it. Inside a container the path may be the host's, of which only
// the mount itself is there to read: folders that do not exist are passed over.
template <class Read>
void walk_up(const fs::path& mount, const std::string& group, std::optional<double>& smallest, const Read& read) {
  fs::path path = fs::path(group).lexically_normal().relative_path();
  while (!path.empty()) {
    read(mount / path, smallest);
    path = path.parent_path();
  }
  read(mount, smallest);
}

bool names_cpu(const std::string& controllers) {
  std::istringstream list(controllers);
  for (std::string one; std::getline(list, one, ',');) {
    if (one == "cpu") return true;
  }
  return false;
}

}  // namespace

std::optional<double> cpu_quota(const fs::path& root) {
  std::optional<double> smallest;
  const fs::path mounts = root / "sys/fs/cgroup";
  std::ifstream groups(root / "proc/self/cgroup");
  // Lines "hierarchy:controllers:/path"; v2's has no controllers.
  for (std::string line; std::getline(groups, line);) {
    const auto first = line.find(':');
    const auto second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const std::string group = line.substr(second + 1);
    if (controllers.empty()) {
      walk_up(mounts, group, smallest, read_v2);
    } else if (names_cpu(controllers)) {
      walk_up(mounts / controllers, group, smallest, read_v1);
      if (controllers != "cpu") walk_up(mounts / "cpu", group, smallest, read_v1);
    }
  }
  return smallest;
}

}  // namespace tandem
