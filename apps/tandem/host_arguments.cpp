#include "host_arguments.h"

#include <CLI/CLI.hpp>
#include <cstdlib>

#include "numbers.h"
#include "tandem/cluster/who_am_i.h"
#include "tandem/core/error.h"
#include "tandem/servers/serve.h"
#include "tandem/servers/server_key_file.h"

namespace tandem::cli {

void HostArguments::add_to(CLI::App& command) {
  command.add_option("--ps_hosts", hosts.ps_hosts, "Parameter servers: host:port,...");
  command.add_option("--worker_hosts", hosts.worker_hosts, "Workers: host:port,...");
  command.add_option("--job_name", hosts.job_name, "This process's role: worker | ps | evaluator");
  command.add_option("--task_index", hosts.task_index, "Its place among those of its role")->transform(whole_number(0));
}

void HostArguments::add_key_to(CLI::App& command) {
  command.add_option("--key", key_file,
                     "File with the job's key (default: TANDEM_JOB_KEY); parameter servers need it beyond loopback");
}

std::optional<comm::JobKey> HostArguments::key() const {
  const auto told = servers::job_key_of(cluster::Environment());
  if (key_file.empty()) return told;
  const auto read = servers::read_key(key_file);
  if (told && told->open != read.open)
    throw InvalidArgument("--key " + key_file + ": must be the key of TANDEM_JOB_KEY where that is set, got another");
  return read;
}

void HostArguments::apply() const {
  const auto key = this->key();
  if (key) ::setenv(comm::kJobKeyVariable, key->secret.c_str(), 1);
  const cluster::Environment environment;
  cluster::who_am_i(environment, {}, hosts);
  if (hosts.any() && !environment.has("TF_CONFIG")) ::setenv("TF_CONFIG", cluster::tf_config_of(hosts).c_str(), 1);
}

}  // namespace tandem::cli
