#pragma once
#include <sys/types.h>

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

/// The command while it runs, in `folder`, with no GPU visible and no terminal; ended by force with the object. `out`:
/// a file that it prints to instead.
class Running {
 public:
  Running(const Arguments& arguments, const std::filesystem::path& folder, const std::string& out = {});
  ~Running();
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

  /// Returns when it has printed `text`; throws when it ends, or a minute passes, before that.
  void await_output(const std::string& text) const;
  void send(int signal) const;
  Ended wait();

 private:
  bool has_ended() const;

  TemporaryFolder streams_;
  std::filesystem::path out_;
  bool own_out_;
  pid_t child_ = 0;
};

/// Runs the command to its end in `folder`, with no GPU visible and no terminal. `out`: a file that it prints to
/// instead.
Ended run_tandem(const Arguments& arguments, const std::filesystem::path& folder, const std::string& out = {});
/// The same in a folder that is thrown away.
Ended run_tandem(const Arguments& arguments);

/// Expects the command to print nothing but "tandem: <line>" to stderr, and to end with `status`.
void expect_refused(const Arguments& arguments, int status, const std::string& line);

std::string read_file(const std::filesystem::path& path);
std::string first_line(const std::string& text);
/// The process whose id is in a file.
pid_t pid_in(const std::filesystem::path& path);
std::vector<std::string> lines_of(const std::string& text);

}  // namespace tandem::testing
