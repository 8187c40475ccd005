#include "tandem/distribution/program_options.h"

#include <c10/util/StringUtil.h>

#include "tandem/core/error.h"

namespace tandem::distribute {
namespace {

// What each layer computes in.
void add_policies(NamedOptions& options, const Layer& layer, int64_t& number) {
  options.add(c10::str("precision of layer ", number++), layer.dtype_policy().name());
  for (const auto& child : layer.children()) add_policies(options, *child, number);
}

// A constant rate is the first process's, whatever the others have.
void add_optimizer(NamedOptions& options, const Optimizer& optimizer) {
  options.add("optimizer", optimizer.class_name());
  try {
    Config config = optimizer.get_config();
    if (!optimizer.rate().is_schedule()) config.set("learning_rate", 0.0);
    options.add_all("optimizer", config);
  } catch (const Error&) {  // one of the program's own
  }
}

}  // namespace

NamedOptions program_options(const Program& program) {
  NamedOptions options;
  options.add("model name", program.network->name());
  const auto weights = program.network->weights();
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const auto& value = weights[i].variable().value;
    options.add(c10::str("weight ", i), "'", weights[i].name(), "' ", value.sizes(), " of ", value.scalar_type(),
                weights[i].trainable() ? "" : ", not trained");
  }
  int64_t layers = 0;
  add_policies(options, *program.network, layers);
  options.add("losses", program.losses ? program.losses->describe() : "none");
  if (program.optimizer) add_optimizer(options, *program.optimizer);
  return options;
}

void check_alike(Peers& peers, const char* strategy, const Program& program, int64_t devices,
                 const NamedOptions& options) {
  PeerMessage own;
  own.put(static_cast<double>(devices));
  own.put(static_cast<double>(program.network->weights().size()));
  options.put(own);
  Peers::Topic topic;
  auto all = peers.gather(own, topic);
  const int64_t first_devices = all[0].integer(), weights = all[0].integer();
  const auto first = NamedOptions::take(all[0]);
  for (std::size_t p = 1; p < all.size(); ++p) {
    const auto refuse = [&](const std::string& what) {
      throw InvalidArgument(c10::str(strategy, ": model '", program.network->name(), "': all ranks must have ", what));
    };
    if (const int64_t its = all[p].integer(); its != first_devices)
      refuse(c10::str("as many devices, but rank ", p, " has ", its, " and rank 0 has ", first_devices));
    if (const int64_t its = all[p].integer(); its != weights)
      refuse(c10::str("as many weights, but rank ", p, " has ", its, " and rank 0 has ", weights));
    if (const auto apart = first.difference(NamedOptions::take(all[p]), p)) refuse("the same, but " + *apart);
  }
}

}  // namespace tandem::distribute
