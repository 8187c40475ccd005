#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "tandem/testing/temporary_folder.h"

namespace tandem::testing {

/// How the command ended: its exit status (128 + the signal's number where one ended it) and what it printed.
struct Ended {
  int status = 0;
  std::string out, err;
};

using Arguments = std::vector<std::string>;

/// Runs the command in `folder`, with no GPU visible and no terminal. `out`: a file that it prints to instead.
Ended run_tandem(const Arguments& arguments, const std::filesystem::path& folder, const std::string& out = {});
/// The same in a folder that is thrown away.
Ended run_tandem(const Arguments& arguments);

/// Expects the command to print nothing but "tandem: <line>" to stderr, and to end with `status`.
void expect_refused(const Arguments& arguments, int status, const std::string& line);

std::string read_file(const std::filesystem::path& path);
std::string first_line(const std::string& text);
std::vector<std::string> lines_of(const std::string& text);

}  // namespace tandem::testing
