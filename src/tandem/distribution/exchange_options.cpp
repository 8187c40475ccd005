#include "tandem/distribution/exchange_options.h"

#include <c10/util/StringUtil.h>

#include "tandem/core/error.h"
#include "tandem/distribution/check_places.h"

namespace tandem::distribute {

void ExchangeOptions::check(const std::string& who, int64_t devices) const {
  const auto refuse = [&](const std::string& must) { throw InvalidArgument(who + ": " + must); };
  shares.check(devices);
  if (all_reduce != "host") comm::parse_algorithm(all_reduce);
  if (average_every < 0)
    refuse(c10::str("average_every must be positive, or 0 to exchange gradients, got ", average_every));
  if (bucket_bytes < 1) refuse(c10::str("bucket_bytes must be positive, got ", bucket_bytes));
  check_memory_limit(who, memory_limit);
  if (average_every > 0 && all_reduce == "host")
    refuse("average_every leaves each device its own updates; all_reduce must not be host");
  if (fixed_order == 0) return;
  if (fixed_order < 0 || fixed_order % devices != 0) {
    refuse(c10::str("fixed_order must be a multiple of the number of devices, got ", fixed_order, " shards for ",
                    devices, " devices"));
  }
  if (average_every > 0 || all_reduce == "host" || shares.automatic() || !shares.weights().empty()) {
    refuse(
        "fixed_order fixes how rows and sums are divided; shares, average_every and all_reduce host must not be set");
  }
}

Replication ExchangeOptions::replication(const Devices& devices, int64_t threads_per_device) const {
  const bool host = all_reduce == "host";
  // Between threads the fastest way adds along one tree; between hosts only this one does, or says that it cannot.
  const bool along_tree = fixed_order > 0 && all_reduce == "auto";
  return {.devices = devices,
          .threads_per_device = threads_per_device,
          .shares = shares,
          .fixed_order = fixed_order,
          .average_every = average_every,
          .where = host                ? UpdatePlace::first
                   : average_every > 0 ? UpdatePlace::alone
                                       : UpdatePlace::everywhere,
          .algorithm = host         ? comm::Algorithm::automatic
                       : along_tree ? comm::Algorithm::direct
                                    : comm::parse_algorithm(all_reduce),
          .bucket_bytes = bucket_bytes,
          .memory = {.limit = memory_limit}};
}

}  // namespace tandem::distribute
