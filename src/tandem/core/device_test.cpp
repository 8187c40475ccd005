#include "tandem/core/device.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <cmath>

#include "tandem/core/cpu_quota.h"
#include "tandem/core/error.h"

namespace tandem {
namespace {

template <class Call>
std::string device_error(const Call& call) {
  try {
    call();
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "no InvalidArgument";
}

void expect_device(const Device& device, Device::Kind kind, int64_t index, int64_t parts) {
  EXPECT_EQ(device.kind, kind) << device.to_string();
  EXPECT_EQ(device.index, index) << device.to_string();
  EXPECT_EQ(device.parts, parts) << device.to_string();
}

TEST(Device, ParsesItsForms) {
  using enum Device::Kind;
  expect_device("cpu:0", cpu, 0, 1);
  expect_device("cpu:12", cpu, 12, 1);
  expect_device("gpu:1", gpu, 1, 1);
  expect_device("gpu:0/2", gpu, 0, 2);
  expect_device("/gpu:3", gpu, 3, 1);
  expect_device("/cpu:0", cpu, 0, 1);
  expect_device("/device:GPU:2", gpu, 2, 1);
  expect_device("/device:CPU:0", cpu, 0, 1);
  expect_device(std::string("/gpu:0/4"), gpu, 0, 4);
}

TEST(Device, PrintsWhatItParses) {
  for (const char* text : {"cpu:0", "gpu:7", "gpu:0/2"}) EXPECT_EQ(Device(text).to_string(), text);
  EXPECT_EQ(Device("/device:GPU:1").to_string(), "gpu:1");
  EXPECT_EQ(Device(), Device("cpu:0"));
  EXPECT_NE(Device("gpu:0"), Device("gpu:0/2"));
}

TEST(Device, RefusesOtherText) {
  for (const char* text : {"",         "cpu",        "cpu:",         "cpu:x",   "cpu:-1", "cpu:1x",
                           "cpu: 1",   "tpu:1",      "gpu:0/0",      "gpu:0/",  "gpu:/2", "gpu:0/2/2",
                           "gpu:0/-1", "cpu:0/2",    "device:GPU:0", "//gpu:0", ":0",     "gpu:99999999999999999999",
                           "cpu*2",    "gpu:0,gpu:1"}) {
    EXPECT_NE(device_error([&] { Device{text}; }).find(std::string("device '") + text + "': must be cpu:k, gpu:k"),
              std::string::npos)
        << text;
  }
  EXPECT_THROW(Device(static_cast<const char*>(nullptr)), InvalidArgument);
}

TEST(Devices, ParsesLists) {
  EXPECT_EQ(Devices::parse("cpu:0,cpu:1"), (Devices{"cpu:0", "cpu:1"}));
  EXPECT_EQ(Devices::parse(" cpu:1 , cpu:0 "), (Devices{"cpu:1", "cpu:0"}));
  EXPECT_EQ(Devices::parse("cpu*3"), (Devices{"cpu:0", "cpu:1", "cpu:2"}));
  EXPECT_EQ(Devices::parse("gpu*2"), (Devices{"gpu:0", "gpu:1"}));
  EXPECT_EQ(Devices::parse("gpu:0/2,gpu:0/2"), (Devices{"gpu:0/2", "gpu:0/2"}));
  EXPECT_EQ(Devices::parse("gpu*2,cpu:0").to_string(), "gpu:0,gpu:1,cpu:0");
}

TEST(Devices, AutoIsEveryGpuElseOneCpuDevice) {
  const auto devices = Devices::parse("auto");
  EXPECT_EQ(devices, visible_gpus() > 0 ? Devices::gpus(visible_gpus()) : Devices{"cpu:0"});
}

TEST(Devices, RefusesOtherText) {
  for (const char* text : {"", ",", "cpu:0,", ",cpu:0", "cpu:0,,cpu:1", "cpu*0", "cpu*", "cpu*-1", "cpu*x", "tpu*2",
                           "*2", "cpu*1000000000", "cpu*2*2", "cpu:", "tpu:1", "auto,cpu:0"}) {
    const auto text_of_error = device_error([&] { Devices::parse(text); });
    EXPECT_NE(text_of_error.find("must"), std::string::npos) << "'" << text << "': " << text_of_error;
  }
  EXPECT_EQ(device_error([] { Devices::parse("cpu*0"); }),
            "devices 'cpu*0': must be cpu*n or gpu*n with n from 1 to 1024, as in cpu*4");
}

// Ids are places in the list of visible GPUs, in any order and with any first one.
TEST(CheckAvailable, AcceptsAnyOrderAndAnyFirstId) {
  EXPECT_NO_THROW(check_available({"gpu:1", "gpu:0"}, 2));
  EXPECT_NO_THROW(check_available({"gpu:1"}, 2));
  EXPECT_NO_THROW(check_available({"gpu:0/2", "gpu:1", "gpu:0/2"}, 2));
  EXPECT_NO_THROW(check_available({"gpu:0/2"}, 1));
  EXPECT_NO_THROW(check_available({"cpu:0", "cpu:5", "gpu:0"}, 1));
}

TEST(CheckAvailable, NamesRequestedAndVisible) {
  const auto four = Devices::parse("gpu*4");
  EXPECT_EQ(device_error([&] { check_available(four, 0); }),
            "devices gpu:0,gpu:1,gpu:2,gpu:3: 4 GPUs requested, 0 visible");
  EXPECT_EQ(device_error([&] { check_available(four, 2); }),
            "devices gpu:0,gpu:1,gpu:2,gpu:3: 4 GPUs requested, 2 visible (gpu:0 to gpu:1)");
  EXPECT_EQ(device_error([] { check_available({"gpu:3"}, 1); }),
            "devices gpu:3: gpu:3 is not there; 1 GPU requested, 1 visible (gpu:0)");
  EXPECT_EQ(device_error([] {
              check_available({"gpu:0/2", "gpu:0/2"}, 0);
            }),
            "devices gpu:0/2,gpu:0/2: 1 GPU requested, 0 visible");
}

TEST(CheckAvailable, RefusesADeviceNamedTwice) {
  EXPECT_EQ(device_error([] {
              check_available({"cpu:0", "cpu:1", "cpu:0"}, 0);
            }),
            "devices cpu:0,cpu:1,cpu:0: cpu:0 is named 2 times, at most 1 allowed");
  EXPECT_EQ(device_error([] {
              check_available({"gpu:0", "gpu:0"}, 1);
            }),
            "devices gpu:0,gpu:0: gpu:0 is named 2 times, at most 1 allowed");
  EXPECT_EQ(device_error([] {
              check_available({"gpu:0/2", "gpu:0/2", "gpu:0/2"}, 1);
            }),
            "devices gpu:0/2,gpu:0/2,gpu:0/2: gpu:0/2 is named 3 times, at most 2 allowed");
  EXPECT_EQ(device_error([] {
              check_available({"gpu:0/2", "gpu:0"}, 1);
            }),
            "devices gpu:0/2,gpu:0: one GPU must be divided into one number of parts, got gpu:0/2 and gpu:0");
}

TEST(CheckAvailable, RefusesNothingAndNoDevice) {
  EXPECT_EQ(device_error([] { check_available(Devices(), 1); }), "devices: at least one must be named, got none");
  Device odd;
  odd.index = -1;
  EXPECT_EQ(device_error([&] { check_available({odd}, 1); }), "devices cpu:-1: cpu:-1 is no device");
}

TEST(CheckAvailable, LooksAtThisMachine) {
  EXPECT_NO_THROW(check_available({"cpu:0", "cpu:1"}));
  const int64_t visible = visible_gpus();
  ASSERT_GE(visible, 0);
  EXPECT_THROW(check_available(Devices::parse("gpu*" + std::to_string(visible + 1))), InvalidArgument);
  EXPECT_THROW(Devices::gpus(visible + 1), InvalidArgument);
}

TEST(Devices, GpusWantsAtLeastOne) {
  EXPECT_NE(device_error([] { Devices::gpus(0); }).find("number of GPUs must be from 1 to 1024, got 0"),
            std::string::npos);
  EXPECT_THROW(Devices::gpus(-1), InvalidArgument);
}

TEST(AvailableCores, FollowsTheProcessAffinityMask) {
  cpu_set_t all;
  ASSERT_EQ(sched_getaffinity(getpid(), sizeof(all), &all), 0);
  const auto quota = cpu_quota();
  const int64_t limit = quota ? static_cast<int64_t>(std::ceil(*quota)) : CPU_COUNT(&all);
  EXPECT_EQ(available_cores(), std::min<int64_t>(CPU_COUNT(&all), limit));

  cpu_set_t one;
  CPU_ZERO(&one);
  for (int cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++cpu) {
    if (CPU_ISSET(cpu, &all)) CPU_SET(cpu, &one);
  }
  ASSERT_EQ(sched_setaffinity(getpid(), sizeof(one), &one), 0);
  EXPECT_EQ(available_cores(), 1);
  ASSERT_EQ(sched_setaffinity(getpid(), sizeof(all), &all), 0);
}

}  // namespace
}  // namespace tandem
