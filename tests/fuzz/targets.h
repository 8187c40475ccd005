#pragma once
#include <functional>
#include <string>
#include <vector>

namespace tandem::fuzz {

/// What is fuzzed: bytes that are right, from which wrong ones are made, and what reads them. `read` throws DataError
/// on bytes that are wrong, and nothing else.
struct Target {
  std::string name;
  std::vector<std::string> seeds;
  std::function<void(const std::string& bytes)> read;
};

/// What a worker says to a parameter server.
Target server_messages();
/// What workers and another host's server say to one of two servers that average their parameters.
Target servers_of_hosts();

/// The zip directory of a .keras file, the config in it, a safetensors file, server_messages() and servers_of_hosts().
/// `folder` is for files on the way.
std::vector<Target> targets(const std::string& folder);

}  // namespace tandem::fuzz
