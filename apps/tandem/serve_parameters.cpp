// tandem serve-parameters: a parameter server as a process of its own.
#include <c10/util/StringUtil.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <optional>

#include "commands.h"
#include "exit_status.h"
#include "host_arguments.h"
#include "interruption.h"
#include "numbers.h"
#include "result_files.h"
#include "tandem/cluster/who_am_i.h"
#include "tandem/core/error.h"
#include "tandem/servers/serve.h"
#include "tandem/servers/server_key_file.h"

namespace tandem::cli {
namespace {

constexpr double kSecondsToEnd = 10;  // that workers get after a signal for the step that they are in

struct ServeArguments {
  std::string address = {}, new_key_file = {};
  HostArguments job = {};
  servers::ServerOptions server;
  std::string server_sync;  // empty: has a range of the parameters
};

int write_key(const std::string& path) {
  saved([&] { servers::write_new_key(path); });
  return kOk;
}

std::string line_of(const servers::ServerFigures& figures) {
  std::string histogram;
  for (std::size_t s = 0; s < figures.by_staleness.size(); ++s) {
    if (figures.by_staleness[s] > 0)
      histogram += c10::str(histogram.empty() ? "" : ", ", s, ": ", figures.by_staleness[s]);
  }
  return c10::str(figures.updates, " updates by ", figures.gradients(), " gradients (", figures.held, " held, ",
                  figures.dropped, " dropped); staleness mean ", figures.mean_staleness(), ", max ",
                  figures.max_staleness, histogram.empty() ? "" : ", gradients by staleness " + histogram,
                  figures.rounds == 0 ? ""
                                      : c10::str("; ", figures.rounds, " averages, ", figures.bytes_to_servers,
                                                 " bytes to other servers"));
}

int serve_parameters(const ServeArguments& arguments) {
  if (!arguments.new_key_file.empty()) return write_key(arguments.new_key_file);
  auto options = arguments.server;
  options.address = arguments.address;
  if (options.address.empty()) {
    const auto self = cluster::who_am_i(cluster::Environment(), {}, arguments.job.hosts);
    options.address = servers::own_server_address(self);
    if (!arguments.server_sync.empty()) {
      options.hosts = servers::server_addresses(self);
      options.host = self.index;
      options.server_sync = arguments.server_sync;
    }
  }
  options.key = arguments.job.key();
  Interruption interruption;  // before the server's threads
  std::optional<servers::Server> running;
  saved([&] { running.emplace(options); });
  auto& server = *running;
  interruption.on_signal([&] { server.stop_after(kSecondsToEnd); });
  std::cout << "serving at " << server.address() << std::endl;
  std::string failure;
  try {
    servers::wait_until_done(server);
  } catch (const PeerError& error) {
    failure = error.what();
  }
  const int signal = interruption.signal();
  interruption.on_signal({});
  std::cout << line_of(server.figures()) << std::endl;
  if (signal != 0) return 128 + signal;
  if (!failure.empty()) throw PeerError(failure);
  return kOk;
}

}  // namespace

bool is_ps() { return cluster::who_am_i(cluster::Environment()).role == cluster::Role::server; }

int serve_as_ps(const std::string& server_sync, int64_t sync_every) {
  return serve_parameters({.server = {.sync_every = sync_every}, .server_sync = server_sync});
}

void add_serve_parameters(CLI::App& app, Run& run) {
  auto* command = app.add_subcommand("serve-parameters", "Serve a range of a model's parameters to workers");
  auto a = std::make_shared<ServeArguments>();
  command->footer(
      "Example: tandem serve-parameters --address 10.0.0.5:2222 --key job.key --save saved --save-every 500");
  auto* address = command->add_option(
      "--address", a->address,
      "host:port to listen at; port 0: a free one (default: this ps's own, by TF_CONFIG or --ps_hosts)");
  a->job.add_key_to(*command);
  command->add_option("--new-key", a->new_key_file, "Write a new key to this file, and end");
  auto* save =
      command->add_option("--save", a->server.save.folder,
                          "Folder to save to, and to go on from; with --server-sync all servers must have one");
  command
      ->add_option(
          "--save-every", a->server.save.every_updates,
          "Updates from one saving to the next (default 100); with --server-sync: at the end of the round of averaging "
          "after so many")
      ->transform(whole_number(1))
      ->needs(save);
  command
      ->add_option("--gone", a->server.gone_seconds, "Seconds to go on without workers, once one has come (default 60)")
      ->transform(real_number(0));
  command->add_option("--start", a->server.start_seconds, "Seconds to wait for the first worker (default 600)")
      ->transform(real_number(0));
  command->add_option("--threads", a->server.threads, "Threads of updates (default 1)")
      ->transform(whole_number(1, servers::kMostThreads));
  auto* sync = command
                   ->add_option("--server-sync", a->server_sync,
                                "A server on every host with all parameters, for its own workers, that averages with "
                                "the others (TF_CONFIG or --ps_hosts): all-reduce | ring | async-scatter-sum")
                   ->excludes(address);
  command->add_option("--sync-every", a->server.sync_every, "Updates between two averages (default 1; 0: when asked)")
      ->transform(whole_number(0))
      ->needs(sync);
  a->job.add_to(*command);
  for (const char* name : {"--ps_hosts", "--worker_hosts", "--job_name", "--task_index"})
    address->excludes(command->get_option(name));
  command->callback([=, &run] { run = [=] { return serve_parameters(*a); }; });
}

}  // namespace tandem::cli
