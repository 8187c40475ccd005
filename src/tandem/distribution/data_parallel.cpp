#include "tandem/distribution/data_parallel.h"

#include <c10/util/StringUtil.h>

#include "tandem/core/error.h"
#include "tandem/distribution/check_places.h"
#include "tandem/distribution/exchange_options.h"
#include "tandem/distribution/replicated.h"
#include "tandem/distribution/unscoped.h"

namespace tandem::distribute {
namespace {

[[noreturn]] void refuse(const std::string& must) { throw InvalidArgument("DataParallel: " + must); }

class DataParallelKind : public StrategyKind {
 public:
  explicit DataParallelKind(DataParallelOptions options) : options_(std::move(options)) {}
  std::string name() const override { return "data-parallel"; }
  Devices devices() const override { return options_.devices; }
  int64_t all_devices() const override { return options_.devices.size() * options_.group->world_size(); }
  bool leads() const override { return options_.group->rank() == 0; }
  void check(const Network& network) const override { check_unscoped("DataParallel", network); }
  std::unique_ptr<Execution> bind(const Program& program) const override {
    check(*program.network);
    const auto& group = *options_.group;
    const int64_t on_host = options_.devices.size() * group.local_size();
    auto how = ExchangeOptions::of(options_).replication(options_.devices,
                                                         threads_per_device(on_host, options_.threads_per_device));
    how.processes = group.processes();
    return std::make_unique<Replicated>(program, how);
  }

 private:
  DataParallelOptions options_;
};

DataParallelOptions checked(DataParallelOptions options) {
  if (!options.group) refuse("must get a group, as init_process_group() gives one");
  const auto& group = *options.group;
  check_processes("DataParallel", options.group);
  if (options.devices.empty()) options.devices = {group.device()};
  check_cpus("DataParallel", options.devices);
  check_available(options.devices);
  threads_per_device(options.devices.size(), options.threads_per_device);
  ExchangeOptions::of(options).check("DataParallel", options.devices.size() * group.world_size());
  if (options.all_reduce == "host" && group.world_size() > 1)
    refuse("all_reduce must not be host, one update for all, where there are several processes");
  return options;
}

}  // namespace

DataParallel::DataParallel(DataParallelOptions options)
    : Strategy(std::make_shared<DataParallelKind>(checked(std::move(options)))) {}

}  // namespace tandem::distribute
