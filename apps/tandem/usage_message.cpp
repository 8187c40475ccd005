#include "usage_message.h"

#include <c10/util/StringUtil.h>

#include <CLI/CLI.hpp>
#include <vector>

#include "tandem/core/error.h"

namespace tandem::cli {
namespace {

using Names = std::vector<std::string>;

Names long_options(const CLI::App& command) {
  Names names;
  for (const auto* option : command.get_options()) {
    for (const auto& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

Names commands_of(const CLI::App& command) {
  Names names;
  for (const auto* sub : command.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(sub->get_name());
  return names;
}

std::string joined(const Names& names, const char* quote) {
  std::string out;
  for (const auto& name : names) out += (out.empty() ? "" : ", ") + (quote + name + quote);
  return out;
}

// "'--batch-size'": the nearest by spelling, else those that `name` is the beginning of.
std::string proposal(const std::string& name, const Names& known) {
  auto near = nearest_names(name, known);
  if (near.empty()) {
    for (const auto& candidate : known) {
      if (name.size() > 3 && candidate.starts_with(name)) near.push_back(candidate);
    }
  }
  return joined(near, "'");
}

std::string unknown(const std::string& what, const std::string& near, const std::string& otherwise) {
  return what + " is not known; " + (near.empty() ? otherwise : "did you mean " + near + "?");
}

// CLI11's "--epochs: 1 required INT missing" and "--epochs: At Most 1 required but received 2" in plain words.
std::string mismatch(const std::string& message) {
  const auto name = message.substr(0, message.find(':'));
  if (message.ends_with("missing")) return name + ": a value must follow";
  if (message.find("At Most 1 ") != std::string::npos) return name + ": may be given only once";
  return message;
}

}  // namespace

std::string usage_message(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App* command = &app;  // the innermost that was named, or the first that has more than it can take
  std::string path = app.get_name();
  auto rest = command->remaining();
  while (rest.empty() && !command->get_subcommands().empty()) {
    command = command->get_subcommands().front();
    path += " " + command->get_name();
    rest = command->remaining();
  }
  const auto help = c10::str("see '", path, " --help'");
  const auto commands = commands_of(*command);
  const bool needs_command = !commands.empty() && command->get_subcommands().empty();

  if (!rest.empty() && rest.front().starts_with("--")) {
    const auto name = rest.front().substr(0, rest.front().find('='));
    return unknown(name, proposal(name, long_options(*command)), help);
  }
  if (!rest.empty() && rest.front().starts_with("-")) return unknown(rest.front(), "", help);
  if (!rest.empty() && needs_command) {
    return unknown(c10::str("command '", rest.front(), "'"), proposal(rest.front(), commands),
                   "known: " + joined(commands, "'"));
  }
  if (!rest.empty()) return c10::str("'", rest.front(), "' was not expected; ", help);
  if (needs_command) return c10::str("a command must follow '", path, "': ", joined(commands, ""), "; ", help);
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error)) return mismatch(error.what());
  if (dynamic_cast<const CLI::RequiredError*>(&error)) return c10::str(error.what(), "; ", help);
  return error.what();
}

}  // namespace tandem::cli
