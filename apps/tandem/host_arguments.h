#pragma once
#include <CLI/App.hpp>
#include <optional>
#include <string>

#include "tandem/cluster/sources.h"
#include "tandem/comm/job_key.h"

namespace tandem::cli {

/// The flags that say of which processes a job is made, which of them this is, and with which key they speak; the same
/// for every command that has them.
struct HostArguments {
  cluster::HostFlags hosts;
  std::string key_file;

  void add_to(CLI::App& command);
  void add_key_to(CLI::App& command);
  /// By the file, else by TANDEM_JOB_KEY; none. Throws DataError on a file without a key, InvalidArgument where the two
  /// differ.
  std::optional<comm::JobKey> key() const;
  /// Puts what they say into this process's environment, where all that trains looks for it; to be called before there
  /// are threads. Throws as key(), and InvalidArgument that quotes both where the environment says something else.
  void apply() const;
};

}  // namespace tandem::cli
