#include "tandem/comm/store_pulse.h"

#include <gtest/gtest.h>

#include <chrono>
#include <torch/csrc/distributed/c10d/HashStore.hpp>

namespace tandem::comm {
namespace {

// What `pulse` says within `seconds`.
std::string said_by(StorePulse& pulse, double seconds) {
  std::string said;
  for (int i = 0; said.empty() && i < static_cast<int>(seconds * 100); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    said = pulse.silent();
  }
  return said;
}

TEST(StorePulse, NamesWhoFallsSilentByItsNumberInTheJob) {
  const c10::intrusive_ptr<c10d::Store> store = c10::make_intrusive<c10d::HashStore>();
  StorePulse other(*store, 1, {4, 8, 12}, 1000);
  store->set("pulse/2", std::string("17 data, step 3"));  // counts no more
  StorePulse own(*store, 0, {4, 8, 12}, 3.5);
  const std::string said = "rank 12 has been silent for 3.5 s; it last reported: data, step 3";
  EXPECT_EQ(said_by(own, 30), said);
  EXPECT_EQ(said_by(other, 30), said);  // long before its own time
}

TEST(StorePulse, SaysNothingOfThoseThatCountOrHaveNotBegun) {
  const c10::intrusive_ptr<c10d::Store> store = c10::make_intrusive<c10d::HashStore>();
  StorePulse other(*store, 1, {0, 1, 2}, 1000), own(*store, 0, {0, 1, 2}, 3.5);
  EXPECT_EQ(said_by(own, 6), "");
}

}  // namespace
}  // namespace tandem::comm
