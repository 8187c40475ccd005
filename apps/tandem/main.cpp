// tandem: train and look at models from the command line. One line to stderr and an exit status say what went wrong.
#include <c10/util/Exception.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <iostream>

#include "commands.h"
#include "exit_status.h"
#include "messages.h"
#include "result_files.h"
#include "tandem/core/error.h"
#include "tandem/version.h"
#include "usage_message.h"

namespace tandem::cli {
namespace {

int fail(const std::string& message, ExitStatus status) {
  print_error(message);
  return status;
}

// A full disk behind stdout is a result that was not saved; a reader that has seen enough (a pipe to head) is none.
int finished(int status) {
  std::cout << std::flush;
  errno = 0;
  const bool written = std::fflush(stdout) == 0 && !std::ferror(stdout) && std::cout.good();
  if (written || errno == EPIPE || status != kOk) return status;
  return fail("standard output could not be written", kNotSaved);
}

// As of a shell's variable that is not set: to save nowhere, or without a key, is not what was meant.
void refuse_empty_values(const CLI::App& app) {
  for (const auto* command : app.get_subcommands()) {
    refuse_empty_values(*command);
    for (const auto* option : command->get_options([](const CLI::Option* one) { return one->nonpositional(); })) {
      const auto& values = option->results();
      if (std::find(values.begin(), values.end(), "") != values.end())
        throw InvalidArgument(option->get_name() + ": must not be empty");
    }
  }
}

int run_command(int argc, char** argv) {
  CLI::App app{"Train Keras-style models in C++ on one device or many."};
  app.name("tandem");
  app.footer("Example: tandem train minigooglenet --devices 'cpu*2' --output plot.png");
  app.set_version_flag("--version", TANDEM_VERSION);
  app.require_subcommand(1);
  Run run;
  add_train(app, run);
  add_evaluate(app, run);
  add_predict(app, run);
  add_summary(app, run);
  add_convert(app, run);
  add_bench(app, run);
  add_info(app, run);
  add_launch(app, run);
  add_serve_parameters(app, run);
  install_log_sink(false);
  try {
    app.parse(argc, argv);
    refuse_empty_values(app);
    return finished(run());
  } catch (const CLI::Success& request) {  // --help, --version
    return finished(app.exit(request));
  } catch (const CLI::ParseError& error) {
    return fail(usage_message(app, error), kUsage);
  } catch (const InvalidArgument& error) {
    return fail(error.what(), kUsage);
  } catch (const DataError& error) {
    return fail(error.what(), kData);
  } catch (const PeerError& error) {
    return fail(error.what(), kPeer);
  } catch (const NotSaved& error) {
    return fail(error.what(), kNotSaved);
  } catch (const c10::Error& error) {
    return fail(error.what_without_backtrace(), kFailed);
  } catch (const std::exception& error) {
    return fail(error.what(), kFailed);
  }
}

}  // namespace
}  // namespace tandem::cli

int main(int argc, char** argv) { return tandem::cli::run_command(argc, argv); }
