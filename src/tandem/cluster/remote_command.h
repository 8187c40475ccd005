#pragma once
#include <map>
#include <string>
#include <vector>

namespace tandem::cluster {

/// `text` as one word of a POSIX shell.
std::string shell_word(const std::string& text);

/// The command that runs `program` in `folder` of another host by ssh, with `variables` set. The program ends with the
/// connection: what stands on the far side reads standard input, takes each line as the name of a signal for the
/// program ("INT"), and ends it, first by TERM, 5 s later by KILL, when the input ends. `ssh`: the program and its
/// options.
std::vector<std::string> remote_command(const std::vector<std::string>& ssh, const std::string& host,
                                        const std::string& folder, const std::map<std::string, std::string>& variables,
                                        const std::vector<std::string>& program);

}  // namespace tandem::cluster
