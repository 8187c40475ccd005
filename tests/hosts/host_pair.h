#pragma once
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "program.h"

namespace tandem::testing {

/// Two hosts, "host0" and "host1": network name spaces of this machine with two links between them, "meet0" (10.99.0.1
/// and .2, fd99::1 and ::2) and "data0" (10.98.0.1 and .2, fd98::1 and ::2). Root makes them; other users do so within
/// a name space of users, where their system lets them.
class HostPair {
 public:
  /// Throws what the system says where it does not let.
  HostPair();

  /// The command that runs `words` on host 0 or 1.
  std::vector<std::string> on(int host, const std::vector<std::string>& words) const;
  /// The same from the other host.
  std::vector<std::string> beside(int host, const std::vector<std::string>& words) const;
  /// Runs them there; returns what they print, throws it when they fail.
  std::string run(int host, const std::vector<std::string>& words) const;
  /// A third link between them, "far" (10.97.0.1 and .2), on which each packet takes so long.
  void add_far_link(double seconds);
  /// Bytes that came in by an interface of the host so far.
  int64_t bytes_received(int host, const std::string& interface) const;
  /// Gives up the host, which vanishes with the last program on it.
  void leave(int host) { keepers_[static_cast<std::size_t>(host)].reset(); }

 private:
  const bool as_root_;
  std::array<std::unique_ptr<Program>, 2> keepers_;  // a name space lives as long as a process in it
  std::array<std::string, 2> ids_;                   // theirs
  std::unique_ptr<Program> far_;
};

/// Tests of jobs on two hosts. They fail where root may not make them, and do not run where another user may not.
class OnHosts : public ::testing::Test {
 protected:
  void SetUp() override;

  std::unique_ptr<HostPair> pair_;
};

}  // namespace tandem::testing
