#include "tandem/cluster/remote_command.h"

#include <c10/util/StringUtil.h>

namespace tandem::cluster {

std::string shell_word(const std::string& text) {
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

std::vector<std::string> remote_command(const std::vector<std::string>& ssh, const std::string& host,
                                        const std::string& folder, const std::map<std::string, std::string>& variables,
                                        const std::vector<std::string>& program) {
  std::string run = "exec env";
  for (const auto& [name, value] : variables) run.append(" ").append(shell_word(c10::str(name, "=", value)));
  for (const auto& argument : program) run.append(" ").append(shell_word(argument));
  // setsid gives the program a group of its own that signals go to as a whole.
  const std::string script = "cd " + shell_word(folder) + " || exit 127\nexec 3<&0\nsetsid sh -c " + shell_word(run) +
                             " </dev/null &\nprogram=$!\n"
                             "(while read -r name <&3; do kill -s \"$name\" -- -$program; done\n"
                             " kill -s TERM -- -$program; sleep 5; kill -s KILL -- -$program) >/dev/null 2>&1 &\n"
                             "watcher=$!\nwait $program\nstatus=$?\nkill $watcher 2>/dev/null\nexit $status\n";
  auto command = ssh;
  command.push_back(host);
  command.push_back("sh -c " + shell_word(script));
  return command;
}

}  // namespace tandem::cluster
