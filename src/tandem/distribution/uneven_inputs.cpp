#include "tandem/distribution/uneven_inputs.h"

#include <c10/util/StringUtil.h>
#include <torch/nn/module.h>
#include <torch/optim/optimizer.h>
#include <torch/serialize/archive.h>

#include <sstream>

#include "tandem/core/error.h"
#include "tandem/core/log.h"
#include "tandem/distribution/module_replicas.h"
#include "tandem/distribution/sync_batch_norm.h"

namespace tandem::distribute {
namespace {

using Act = RanksWithData::Act;

void check_can_join(const TrainedModule& trained) {
  if (trained.gradients.ranks_with_data()) throw InvalidArgument("join: must not be within another join of the model");
  for (const auto& one : trained.module.named_modules()) {
    if (!one.value()->as<SyncBatchNormImpl>()) continue;
    throw InvalidArgument(c10::str("join: '", one.key(),
                                   "' is a SyncBatchNorm, whose statistics need rows of all ranks in each step; give "
                                   "ranks that run out batches of 0 rows instead"));
  }
}

// What a rank without data does for those that have some.
void do_too(Act act, const TrainedModule& trained, RanksWithData& with_data) {
  if (act == Act::buffers) broadcast_buffers(trained.module, trained.group, with_data.first());
  if (act == Act::gradients) trained.gradients.take_part();
}

void follow(const TrainedModule& trained, RanksWithData& with_data) {
  Act act = Act::none;
  do {
    with_data.say(Act::none);
    act = with_data.hear();
    do_too(act, trained, with_data);
    with_data.check_nobody_left();
  } while (act != Act::none);
}

// The others come to their next exchange, or are in one, and learn there that this rank goes no further.
void leave(const std::string& reason, const TrainedModule& trained, RanksWithData& with_data) {
  if (with_data.over()) return;  // all know
  log_warning(c10::str("rank ", trained.group.rank(),
                       ": join: an exception ends the loop, the other ranks are told: ", reason));
  try {
    if (trained.gradients.unfinished()) {
      trained.gradients.give_up();
    } else {
      with_data.say(Act::leaves_loop);
      do_too(with_data.hear(), trained, with_data);
    }
    with_data.why_left(reason);
  } catch (const std::exception& error) {  // the first exception is the one to throw
    log_warning(c10::str("rank ", trained.group.rank(), ": join: the other ranks could not be told: ", error.what()));
  }
}

std::string state_of(const torch::optim::Optimizer& optimizer) {
  torch::serialize::OutputArchive archive;
  optimizer.save(archive);
  std::ostringstream bytes;
  archive.save_to(bytes);
  return bytes.str();
}

void set_state(torch::optim::Optimizer& optimizer, const std::string& state) {
  std::istringstream bytes(state);
  torch::serialize::InputArchive archive;
  archive.load_from(bytes);
  optimizer.load(archive);
}

// Ranks that ran out early lack the last steps; buffers are each rank's own since the last forward pass.
void end_alike(const TrainedModule& trained, const RanksWithData& with_data) {
  const auto last = with_data.first();
  broadcast_buffers(trained.module, trained.group, last);
  if (with_data.count() == trained.group.world_size()) return;
  broadcast_parameters(trained.module, trained.group, last);
  if (!trained.optimizer) return;
  const bool own = trained.group.rank() == last;
  const auto state = trained.group.broadcast_object(own ? state_of(*trained.optimizer) : "", last);
  if (!own) set_state(*trained.optimizer, state);
}

}  // namespace

void run_uneven(const TrainedModule& trained, const std::function<void()>& loop, const JoinOptions& options) {
  check_can_join(trained);
  RanksWithData with_data(trained.group);
  struct Set {
    ModuleGradients& gradients;
    ~Set() { gradients.set_ranks_with_data(nullptr, false); }
  } const set{trained.gradients};
  trained.gradients.set_ranks_with_data(&with_data, !options.divide_by_initial_world_size);
  try {
    loop();
    if (trained.gradients.unfinished())
      throw InvalidArgument(
          "join: the loop ended although the exchange of its last backward pass, which threw, had not");
  } catch (const PeerError&) {  // what one rank knows of another, all do
    throw;
  } catch (const std::exception& error) {
    leave(error.what(), trained, with_data);
    throw;
  } catch (...) {
    leave("an exception that is no std::exception", trained, with_data);
    throw;
  }
  follow(trained, with_data);
  end_alike(trained, with_data);
}

}  // namespace tandem::distribute
