#include "tandem/distribution/parameter_server.h"

#include <c10/util/StringUtil.h>

#include "tandem/core/error.h"
#include "tandem/distribution/exchange_options.h"
#include "tandem/distribution/replicated.h"
#include "tandem/distribution/unscoped.h"

namespace tandem::distribute {
namespace {

[[noreturn]] void refuse_servers(const std::string& must) { throw InvalidArgument("ParameterServer: " + must); }

class ParameterServerKind : public StrategyKind {
 public:
  explicit ParameterServerKind(ParameterServerOptions options) : options_(std::move(options)) {}
  std::string name() const override { return "parameter-server"; }
  Devices devices() const override { return options_.workers; }
  void check(const Network& network) const override {
    check_unscoped("ParameterServer", network);
    for (const auto& w : network.weights()) {
      if (w.variable().constraint) {
        refuse_servers(c10::str("model '", network.name(), "': weight '", w.name(),
                                "' must have no constraint, which servers do not know"));
      }
    }
  }
  std::unique_ptr<Execution> bind(const Program& program) const override {
    check(*program.network);
    const ExchangeOptions exchange{
        .shares = options_.shares, .fixed_order = options_.fixed_order, .bucket_bytes = options_.bucket_bytes};
    auto how = exchange.replication(options_.workers,
                                    threads_per_device(options_.workers.size(), options_.threads_per_device));
    how.where = UpdatePlace::servers;
    how.servers = std::make_shared<ServerSetup>(ServerChoice{.mode = servers::server_mode(options_.mode),
                                                             .staleness = std::max<int64_t>(options_.staleness, 0),
                                                             .own = options_.servers,
                                                             .block_bytes = options_.bucket_bytes});
    return std::make_unique<Replicated>(program, how);
  }

 private:
  ParameterServerOptions options_;
};

ParameterServerOptions checked(ParameterServerOptions options) {
  if (options.workers.empty()) options.workers = {"cpu:0"};
  for (const auto& device : options.workers) {
    if (device.kind == Device::Kind::gpu)
      refuse_servers(c10::str("workers must be CPUs, got ", options.workers.to_string(), "; Mirrored runs on GPUs"));
  }
  check_available(options.workers);
  if (options.servers < 1) refuse_servers(c10::str("servers must be at least 1, got ", options.servers));
  const auto mode = servers::server_mode(options.mode);
  const bool stale = mode == servers::ServerMode::stale;
  if (stale && options.staleness < 0) refuse_servers("staleness must be given in mode stale");
  if (!stale && options.staleness >= 0)
    refuse_servers(
        c10::str("staleness must be given in mode stale alone, got ", options.staleness, " in mode ", options.mode));
  const bool divided = options.fixed_order > 0 || options.shares.automatic() || !options.shares.weights().empty();
  if (mode != servers::ServerMode::sync && divided)
    refuse_servers(c10::str("shares and fixed_order must not be set in mode ", options.mode,
                            ", where batches go whole to whoever is free"));
  ExchangeOptions{.shares = options.shares, .fixed_order = options.fixed_order, .bucket_bytes = options.bucket_bytes}
      .check("ParameterServer", options.workers.size());
  return options;
}

}  // namespace

ParameterServer::ParameterServer(ParameterServerOptions options)
    : Strategy(std::make_shared<ParameterServerKind>(checked(std::move(options)))) {}

}  // namespace tandem::distribute
