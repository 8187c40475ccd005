// tandem info: what this machine offers.
#include <ATen/ATen.h>
#include <ATen/Version.h>
#include <c10/util/StringUtil.h>
#include <torch/headeronly/version.h>

#include <CLI/CLI.hpp>
#include <iostream>

#include "commands.h"
#include "exit_status.h"
#include "host_arguments.h"
#include "tandem/cluster/who_am_i.h"
#include "tandem/core/config.h"
#include "tandem/core/device.h"
#include "tandem/distribution/strategy.h"
#include "tandem/version.h"

namespace tandem::cli {
namespace {

int info(bool json, const HostArguments& job) {
  const auto cores = available_cores();
  const auto gpus = visible_gpus();
  const auto capability = at::get_cpu_capability();
  const auto member = cluster::who_am_i(cluster::Environment(), {}, job.hosts);
  if (json) {
    const auto figures =
        Config::object({{"version", TANDEM_VERSION},
                        {"libtorch", TORCH_VERSION},
                        {"cores", cores},
                        {"cpu_capability", capability},
                        {"onednn", at::hasMKLDNN()},
                        {"gpus", gpus},
                        {"default_devices", Devices::parse("auto").to_string()},
                        {"threads_per_device", distribute::threads_per_device(1, 0)},
                        {"cluster", member.source == cluster::Membership().source ? "none" : member.describe()},
                        {"cluster_source", member.source},
                        {"role", cluster::to_string(member.role)},
                        {"rank", member.rank},
                        {"world_size", member.world_size},
                        {"local_rank", member.local_rank}});
    std::cout << figures.to_json() << "\n";
    return kOk;
  }
  std::cout << "Tandem    " << TANDEM_VERSION << "\n"
            << "LibTorch  " << TORCH_VERSION << "\n"
            << "CPU       " << cores << (cores == 1 ? " core, " : " cores, ") << capability
            << (at::hasMKLDNN() ? ", oneDNN" : "") << "\n"
            << "GPUs      " << gpus << " visible\n"
            << "default   " << Devices::parse("auto").to_string() << ", " << distribute::threads_per_device(1, 0)
            << " threads\n"
            << "cluster   " << (member.alone() ? "none: one process" : member.describe() + ", by " + member.source)
            << "\n";
  return kOk;
}

}  // namespace

void add_info(CLI::App& app, Run& run) {
  auto* command = app.add_subcommand("info", "Show devices, cores and LibTorch");
  auto json = std::make_shared<bool>(false);
  command->footer("Example: tandem info --json");
  command->add_flag("--json", *json, "Print one JSON object");
  auto job = std::make_shared<HostArguments>();
  job->add_to(*command);
  command->callback([=, &run] { run = [=] { return info(*json, *job); }; });
}

}  // namespace tandem::cli
