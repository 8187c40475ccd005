#pragma once
#include <cstdio>
#include <string>

namespace tandem::testing {

inline constexpr int kSkipped = 77;  // the exit status that ctest reads as skipped

/// What went wrong, counted: a program of tests/device ends with status().
class Checks {
 public:
  void that(bool holds, const std::string& what) {
    std::printf("%s: %s\n", holds ? "ok" : "FAILED", what.c_str());
    failed_ += !holds;
  }
  int status() const { return failed_ == 0 ? 0 : 1; }

 private:
  int failed_ = 0;
};

inline int skip(const std::string& why) {
  std::printf("skipped: %s\n", why.c_str());
  return kSkipped;
}

}  // namespace tandem::testing
