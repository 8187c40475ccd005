// tandem: train and look at models from the command line. One line to stderr and an exit status say what went wrong.
#include <CLI/CLI.hpp>
#include <iostream>

#include "commands.h"
#include "exit_status.h"
#include "tandem/core/error.h"

int main(int argc, char** argv) {
  using namespace tandem;
  CLI::App app{"Train Keras-style models in C++ on one device or many."};
  app.name("tandem");
  app.set_version_flag("--version", TANDEM_VERSION);
  app.require_subcommand(1);
  cli::Run run;
  cli::add_train(app, run);
  cli::add_summary(app, run);
  cli::add_bench(app, run);
  cli::add_info(app, run);
  const auto fail = [](const char* message, int status) {
    std::cout << std::flush;
    std::cerr << "tandem: " << message << "\n";
    return status;
  };
  try {
    app.parse(argc, argv);
    return run();
  } catch (const CLI::Success& request) {  // --help, --version
    return app.exit(request);
  } catch (const CLI::ParseError& error) {
    return fail(error.what(), cli::kUsage);
  } catch (const InvalidArgument& error) {
    return fail(error.what(), cli::kUsage);
  } catch (const DataError& error) {
    return fail(error.what(), cli::kData);
  } catch (const PeerError& error) {
    return fail(error.what(), cli::kPeer);
  } catch (const std::exception& error) {
    return fail(error.what(), cli::kFailed);
  }
}
