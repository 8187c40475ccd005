#include "tandem/distribution/uneven_inputs.h"

#include <c10/util/Exception.h>
#include <c10/util/StringUtil.h>
#include <torch/nn/module.h>
#include <torch/optim/optimizer.h>
#include <torch/serialize/archive.h>

#include <memory>
#include <sstream>

#include "tandem/core/error.h"
#include "tandem/core/log.h"
#include "tandem/distribution/module_replicas.h"
#include "tandem/distribution/sync_batch_norm.h"

namespace tandem::distribute {
namespace {

using Act = RanksWithData::Act;

// That of the module's SyncBatchNorms; null where none exchanges.
std::shared_ptr<StatisticsExchange> statistics_of(const torch::nn::Module& module) {
  std::shared_ptr<StatisticsExchange> one;
  for (const auto& norm : module.named_modules()) {
    const auto* sync = norm.value()->as<SyncBatchNormImpl>();
    if (!sync || !sync->exchange()) continue;
    if (one && one != sync->exchange()) {
      throw InvalidArgument(c10::str("join: all SyncBatchNorms must exchange together, but '", norm.key(),
                                     "' got its group alone; give it to all by convert_sync_batchnorm"));
    }
    one = sync->exchange();
  }
  return one;
}

// While alive, passes tell the ranks whose loops have ended.
class Joined {
 public:
  Joined(const TrainedModule& trained, RanksWithData& with_data, const JoinOptions& options)
      : gradients_(trained.gradients), statistics_(statistics_of(trained.module)) {
    if (gradients_.ranks_with_data()) throw InvalidArgument("join: must not be within another join of the model");
    gradients_.set_ranks_with_data(&with_data, !options.divide_by_initial_world_size, statistics_.get());
    if (statistics_) statistics_->set_ranks_with_data(&with_data, &gradients_);
  }
  ~Joined() {
    gradients_.set_ranks_with_data(nullptr, false, nullptr);
    if (statistics_) statistics_->set_ranks_with_data(nullptr, nullptr);
  }
  Joined(const Joined&) = delete;
  Joined& operator=(const Joined&) = delete;

  StatisticsExchange* statistics() const { return statistics_.get(); }

 private:
  ModuleGradients& gradients_;
  std::shared_ptr<StatisticsExchange> statistics_;
};

// What a rank without data does for those that have some.
void do_too(Act act, const TrainedModule& trained, const Joined& joined, const RanksWithData& with_data) {
  if (act == Act::buffers) broadcast_buffers(trained.module, trained.group, with_data.first());
  if (act == Act::gradients) trained.gradients.take_part();
  if (act == Act::statistics) joined.statistics()->take_part(/*until_end=*/false);
}

void follow(const TrainedModule& trained, const Joined& joined, RanksWithData& with_data) {
  Act act = Act::none;
  do {
    with_data.say(Act::none);
    act = with_data.hear();
    do_too(act, trained, joined, with_data);
    with_data.check_nobody_left();
  } while (act != Act::none);
}

// The others come to their next exchange, or are in one, and learn there that this rank goes no further.
void leave(const std::string& reason, const TrainedModule& trained, const Joined& joined, RanksWithData& with_data) {
  if (with_data.over()) return;  // all know
  log_warning(c10::str("rank ", trained.group.rank(),
                       ": join: an exception ends the loop, the other ranks are told: ", reason));
  try {
    if (trained.gradients.unfinished()) {
      trained.gradients.give_up();
    } else {
      with_data.say(Act::leaves_loop);
      do_too(with_data.hear(), trained, joined, with_data);
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
  RanksWithData with_data(trained.group);
  const Joined joined(trained, with_data, options);
  try {
    loop();
    if (trained.gradients.unfinished())
      throw InvalidArgument(
          "join: the loop ended although the exchange of its last backward pass, which threw, had not");
  } catch (const PeerError&) {  // what one rank knows of another, all do
    throw;
  } catch (const c10::Error& error) {
    leave(error.what_without_backtrace(), trained, joined, with_data);
    throw;
  } catch (const std::exception& error) {
    leave(error.what(), trained, joined, with_data);
    throw;
  } catch (...) {
    leave("an exception that is no std::exception", trained, joined, with_data);
    throw;
  }
  follow(trained, joined, with_data);
  end_alike(trained, with_data);
}

}  // namespace tandem::distribute
