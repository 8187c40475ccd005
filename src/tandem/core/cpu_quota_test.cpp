#include "tandem/core/cpu_quota.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <string>

namespace tandem {
namespace {

namespace fs = std::filesystem;

// A file system's root with only the files that say what the control group may use.
class CpuQuota : public ::testing::Test {
 protected:
  void SetUp() override {
    root_ = fs::path(::testing::TempDir()) / ("cpu_quota_" + std::to_string(getpid()));
    fs::remove_all(root_);
  }
  void TearDown() override { fs::remove_all(root_); }
  void write(const fs::path& path, const std::string& text) {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text << "\n";
  }
  fs::path root_;
};

TEST_F(CpuQuota, NothingWhereThereAreNoGroups) { EXPECT_EQ(cpu_quota(root_), std::nullopt); }

TEST_F(CpuQuota, Version2WithoutLimit) {
  write("proc/self/cgroup", "0::/");
  write("sys/fs/cgroup/cpu.max", "max 100000");
  EXPECT_EQ(cpu_quota(root_), std::nullopt);
}

TEST_F(CpuQuota, Version2OfAContainer) {
  write("proc/self/cgroup", "0::/");
  write("sys/fs/cgroup/cpu.max", "150000 100000");
  EXPECT_EQ(cpu_quota(root_), 1.5);
}

TEST_F(CpuQuota, Version2TakesTheSmallestUpTheTree) {
  write("proc/self/cgroup", "0::/a/b/c");
  write("sys/fs/cgroup/a/b/c/cpu.max", "max 100000");
  write("sys/fs/cgroup/a/b/cpu.max", "400000 100000");
  write("sys/fs/cgroup/a/cpu.max", "200000 50000");
  write("sys/fs/cgroup/cpu.max", "800000 100000");
  EXPECT_EQ(cpu_quota(root_), 4.0);
  write("sys/fs/cgroup/a/cpu.max", "50000 100000");
  EXPECT_EQ(cpu_quota(root_), 0.5);
}

TEST_F(CpuQuota, Version2WithAPathOfTheHost) {
  write("proc/self/cgroup", "0::/docker/0123");
  write("sys/fs/cgroup/cpu.max", "300000 100000");
  EXPECT_EQ(cpu_quota(root_), 3.0);
}

TEST_F(CpuQuota, Version1) {
  write("proc/self/cgroup", "4:memory:/x\n3:cpu,cpuacct:/job\n2:cpuset:/\n1:name=systemd:/");
  write("sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_quota_us", "250000");
  write("sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_period_us", "100000");
  write("sys/fs/cgroup/cpuset/cpu.max", "1 100000");  // not the controller that limits time
  EXPECT_EQ(cpu_quota(root_), 2.5);
  write("sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_quota_us", "-1");
  EXPECT_EQ(cpu_quota(root_), std::nullopt);
}

TEST_F(CpuQuota, Version1MountedUnderItsShortName) {
  write("proc/self/cgroup", "3:cpuacct,cpu:/\n0::/");
  write("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "100000");
  write("sys/fs/cgroup/cpu/cpu.cfs_period_us", "50000");
  EXPECT_EQ(cpu_quota(root_), 2.0);
}

TEST_F(CpuQuota, DamagedFilesAreNoLimit) {
  write("proc/self/cgroup", "nonsense\n0::/a");
  write("sys/fs/cgroup/a/cpu.max", "");
  write("sys/fs/cgroup/cpu.max", "100000 0");
  EXPECT_EQ(cpu_quota(root_), std::nullopt);
}

}  // namespace
}  // namespace tandem
