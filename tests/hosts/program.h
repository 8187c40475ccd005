#pragma once
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tandem/cluster/child_process.h"
#include "tandem/testing/temporary_folder.h"

namespace tandem::testing {

/// The command, and the programs that tests start.
inline const std::string kTandem = TANDEM_COMMAND, kDdp = DDP, kExchange = EXCHANGE, kCollectives = COLLECTIVES;

/// A program while it runs, in a process group of its own, with all that it prints in one file; killed with the object.
class Program {
 public:
  using Variables = std::map<std::string, std::string>;

  explicit Program(const std::vector<std::string>& words, Variables variables = {});

  /// What it has printed so far.
  std::string output() const;
  /// Returns when it has printed `text`; throws, with what it printed, when it ends or a minute passes before that.
  void await_output(const std::string& text);
  /// Returns its exit code (128 + the signal that ended it) when it has ended; throws when a minute passes before that.
  int wait();
  /// To its process group.
  void send(int signal);

 private:
  TemporaryFolder folder_;
  std::unique_ptr<cluster::ChildProcess> process_;
};

/// All of them are waited for; expects that they end with 0.
void expect_success(const std::vector<std::unique_ptr<Program>>& programs);

}  // namespace tandem::testing
