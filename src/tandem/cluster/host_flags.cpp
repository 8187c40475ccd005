#include <c10/util/StringUtil.h>

#include "tandem/cluster/jobs.h"
#include "tandem/cluster/sources.h"
#include "tandem/core/error.h"

namespace tandem::cluster {

std::optional<Membership> from_host_flags(const HostFlags& flags) {
  if (!flags.any()) return std::nullopt;
  const auto need = [](bool there, const char* name) {
    if (!there) throw InvalidArgument(c10::str(name, ": must be given with the other flags of hosts"));
  };
  need(!flags.worker_hosts.empty(), "--worker_hosts");
  need(!flags.job_name.empty(), "--job_name");
  need(flags.task_index.has_value(), "--task_index");
  if (*flags.task_index < 0)
    throw InvalidArgument(c10::str("--task_index: must be at least 0, got ", *flags.task_index));
  Jobs jobs;
  jobs.workers = parse_addresses(flags.worker_hosts, "--worker_hosts");
  if (!flags.ps_hosts.empty()) jobs.servers = parse_addresses(flags.ps_hosts, "--ps_hosts");
  const auto source = c10::str(jobs.servers.empty() ? "" : "--ps_hosts, ", "--worker_hosts, --job_name");
  return member_of(jobs, parse_role(flags.job_name, "--job_name"), *flags.task_index, source, "--task_index");
}

std::string tf_config_of(const HostFlags& flags) {
  const auto self = from_host_flags(flags);
  if (!self) throw InvalidArgument("--worker_hosts: must be given, got no flags of hosts");
  return tf_config_of({.chief = {}, .workers = self->ranks, .servers = self->servers, .evaluators = {}}, flags.job_name,
                      self->index, self->source);
}

}  // namespace tandem::cluster
