#pragma once
#include <memory>
#include <string>
#include <vector>

#include "program.h"
#include "tandem/comm/job_key.h"

namespace tandem::testing {

/// Addresses of this host, all different, at ports that nobody has.
std::vector<std::string> free_addresses(int count);

/// `tandem train` in the roles of one job of this host, told by TF_CONFIG, with a key of its own.
class ServedJob {
 public:
  ServedJob(int servers, int workers, std::vector<std::string> flags);

  /// The process of a role ("ps", "worker", "evaluator"); `more`: flags of its own.
  std::unique_ptr<Program> start(const std::string& role, int index = 0,
                                 const std::vector<std::string>& more = {}) const;
  /// Another program in that role.
  std::unique_ptr<Program> start_program(const std::string& role, int index,
                                         const std::vector<std::string>& words) const;
  /// All servers, then all workers.
  std::vector<std::unique_ptr<Program>> start_all() const;

 private:
  int servers_, workers_;
  std::vector<std::string> flags_;
  std::string cluster_;
  comm::JobKey key_;
};

/// The line of what the program has printed that has `part` in it, from there on.
std::string line_with(const Program& program, const std::string& part);

}  // namespace tandem::testing
