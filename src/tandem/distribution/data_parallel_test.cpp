#include "tandem/distribution/data_parallel.h"

#include <gtest/gtest.h>

#include "tandem/comm/local_group.h"
#include "tandem/core/error.h"
#include "tandem/layers/dense.h"
#include "tandem/layers/input.h"
#include "tandem/network/graph.h"
#include "tandem/testing/message_of.h"
#include "tandem/testing/thread_processes.h"

namespace tandem::distribute {
namespace {

using testing::message_of;

// Of the second of two processes.
std::string process_refusal(DataParallelOptions options) {
  std::string said;
  testing::run_processes(2, [&](auto processes) {
    auto own = options;
    own.group = ProcessGroup(processes, processes->rank().rank());
    if (processes->rank().rank() == 1) said = message_of([&] { DataParallel{own}; });
  });
  return said;
}

TEST(DataParallel, RefusesOptionsThatDoNotFit) {
  EXPECT_EQ(message_of([] { DataParallel({}); }), "DataParallel: must get a group, as init_process_group() gives one");
  EXPECT_EQ(process_refusal({.devices = {"cpu:0", "cpu:1"}, .fixed_order = 6}),
            "DataParallel: fixed_order must be a multiple of the number of devices, got 6 shards for 4 devices");
  EXPECT_EQ(process_refusal({.shares = {1, 2, 3}}), "shares: must be one for each of the 2 devices, got 3");
  EXPECT_EQ(process_refusal({.all_reduce = "host"}),
            "DataParallel: all_reduce must not be host, one update for all, where there are several processes");
  EXPECT_EQ(process_refusal({.bucket_bytes = 0}), "DataParallel: bucket_bytes must be positive, got 0");
  EXPECT_EQ(process_refusal({.devices = {"gpu:0"}}),
            "DataParallel: devices must be CPUs, got gpu:0; Mirrored runs on GPUs");
}

TEST(DataParallel, RanksMustBeProcesses) {
  const auto group = std::make_shared<comm::LocalGroup>(2);
  const ProcessGroup ranks(std::shared_ptr<comm::Communicator>(group, &group->rank(0)), 0);
  EXPECT_EQ(message_of([&] { DataParallel({.group = ranks}); }),
            "DataParallel: the group's ranks must be processes, as those of init_process_group()");
}

TEST(DataParallel, NamesItsDevices) {
  testing::run_processes(2, [](auto processes) {
    const int64_t rank = processes->rank().rank();
    const DataParallel own({.group = ProcessGroup(processes, rank)});
    EXPECT_EQ(own->devices(), Devices{"cpu:" + std::to_string(rank)});
    EXPECT_EQ(own->all_devices(), 2);
    EXPECT_EQ(own->leads(), rank == 0);
  });
}

TEST(DataParallel, RefusesLayersInDeviceScopes) {
  const auto x = layers::Input({3});
  const auto placed = [&] {
    const DeviceScope scope("cpu:1");
    return layers::Dense(2, {.name = "far"})(x);
  }();
  const Graph graph(x, placed);
  const auto group = std::make_shared<comm::LocalGroup>(1);
  const DataParallel strategy({.group = ProcessGroup(std::shared_ptr<comm::Communicator>(group, &group->rank(0)), 0)});
  EXPECT_NE(message_of([&] {
              strategy->check(graph);
            }).find("must have no layers in DeviceScopes, got 'far' (Dense) on cpu:1"),
            std::string::npos);
}

}  // namespace
}  // namespace tandem::distribute
