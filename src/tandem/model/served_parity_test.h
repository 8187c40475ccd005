#pragma once
#include <cstdint>
#include <string>

#include "tandem/model/parity_case_test.h"

namespace tandem::parity {

/// Parameter servers within this process, as threads.
struct Served {
  int64_t workers, servers;
  std::string mode;
  distribute::Strategy strategy() const;
};

/// The task with one and two servers equals `one`, which is one device's, to 1e-5: in mode sync by two and three
/// workers, and by one worker in async and stale. What servers cannot do must be refused, in the words of
/// served_parity_test.cpp's list and for its reasons alone.
void expect_served_parity(const Task& task, const Result& one);

}  // namespace tandem::parity
