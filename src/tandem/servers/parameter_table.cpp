#include "tandem/servers/parameter_table.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include <utility>

#include "tandem/core/error.h"
#include "tandem/servers/free_table.h"
#include "tandem/servers/sync_table.h"

namespace tandem::servers {

std::unique_ptr<ParameterTable> ParameterTable::make(const ServerPlan& plan, int64_t server, Send send) {
  if (plan.mode == ServerMode::sync) return std::make_unique<SyncTable>(plan, server, std::move(send));
  return std::make_unique<FreeTable>(plan, server, std::move(send));
}

ParameterTable::ParameterTable(const ServerPlan& plan, int64_t server, Send send)
    : plan_(plan),
      first_(plan.first_block(server)),
      last_(plan.first_block(server + 1)),
      range_(plan, server),
      send_(std::move(send)),
      shared_(last_ - first_, plan.largest_block()),
      here_(static_cast<std::size_t>(plan.workers)) {}

void ParameterTable::begin(int64_t block, const Tensor& values) {
  range_.parameters().narrow(0, begin_of(block), plan_.block_elements(block)).copy_(values);
  changed(block);
}

void ParameterTable::join(int64_t worker) {
  rejoin(worker);
  on_join(worker);
}

void ParameterTable::rejoin(int64_t worker) {
  if (worker < 0 || worker >= plan_.workers)
    throw DataError(c10::str("worker must be below ", plan_.workers, ", got ", worker));
  if (is_here(worker)) throw DataError(c10::str("worker ", worker, " has joined already"));
  here_[static_cast<std::size_t>(worker)] = true;
}

void ParameterTable::check_worker(int64_t worker) const {
  if (worker < 0 || worker >= plan_.workers || !is_here(worker))
    throw DataError(c10::str("worker ", worker, " must join first"));
}

void ParameterTable::push(const Push& push) {
  check_worker(push.worker);
  if (push.block < first_ || push.block >= last_)
    throw DataError(c10::str("push of worker ", push.worker, ": block must be from ", first_, " to ", last_ - 1,
                             ", got ", push.block));
  if (push.gradient.numel() != plan_.block_elements(push.block))
    throw DataError(c10::str("push of worker ", push.worker, ": block ", push.block, " must have ",
                             plan_.block_elements(push.block), " elements, got ", push.gradient.numel()));
  take(push, static_cast<std::size_t>(push.block - first_));
}

void ParameterTable::pull(int64_t worker, uint64_t id) {
  check_worker(worker);
  on_pull(worker);
  for (int64_t block = first_; block < last_; ++block) answer(worker, id, block, Outcome::pulled);
}

std::vector<Tensor> ParameterTable::copies() {
  std::vector<Tensor> all;
  for (int64_t block = first_; block < last_; ++block)
    all.push_back(
        shared_.copy_of(block - first_, range_.parameters().narrow(0, begin_of(block), plan_.block_elements(block))));
  return all;
}

void ParameterTable::rest(int64_t worker) {
  check_worker(worker);
  on_rest(worker);
}

void ParameterTable::leave(int64_t worker) {
  if (!is_here(worker)) return;
  here_[static_cast<std::size_t>(worker)] = false;
  on_gone(worker, "");
}

void ParameterTable::lost(int64_t worker, const std::string& why) {
  if (!is_here(worker)) return;
  here_[static_cast<std::size_t>(worker)] = false;
  on_gone(worker, why);
}

RangeState ParameterTable::state() const { return {iterations(), range_.numbers(), range_.slots()}; }

void ParameterTable::set_state(const RangeState& state) {
  if (state.iterations < 0) throw DataError(c10::str("iterations must be at least 0, got ", state.iterations));
  range_.set(state.numbers, state.slots);
  set_iterations(state.iterations);
}

RangeSnapshot ParameterTable::snapshot(RangeSnapshot spare) const {
  const auto copy = [](Tensor to, const Tensor& from) {
    if (!to.defined() || to.numel() != from.numel()) return from.clone();
    return to.copy_(from);
  };
  spare.version = version().value_or(0);
  spare.used = used();
  spare.figures = figures_;
  spare.state.iterations = iterations();
  spare.state.numbers = range_.numbers();
  spare.state.slots.resize(range_.slots().size());
  for (std::size_t s = 0; s < range_.slots().size(); ++s)
    spare.state.slots[s] = copy(spare.state.slots[s], range_.slots()[s]);
  spare.parameters = copy(spare.parameters, range_.parameters());
  return spare;
}

void ParameterTable::restore(const RangeSnapshot& snapshot) {
  set_state(snapshot.state);
  range_.parameters().copy_(snapshot.parameters);
  set_used(snapshot.version, snapshot.used);
  figures_ = snapshot.figures;
}

void ParameterTable::answer(int64_t worker, uint64_t id, int64_t block, Outcome outcome, int64_t staleness) {
  if (updates_of(block) >= hold_from_) return waiting_.push_back({worker, id, block, outcome, staleness});
  if (outcome == Outcome::duplicate) ++figures_.duplicates;
  const auto values = range_.parameters().narrow(0, begin_of(block), plan_.block_elements(block));
  send_(worker, {id, block, version_of(block), outcome, staleness, shared_.copy_of(block - first_, values)});
}

void ParameterTable::hold_from(int64_t updates) {
  hold_from_ = updates;
  const auto waiting = std::exchange(waiting_, {});
  for (const auto& [worker, id, block, outcome, staleness] : waiting) answer(worker, id, block, outcome, staleness);
}

void ParameterTable::written() {
  for (int64_t block = first_; block < last_; ++block) changed(block);
}

}  // namespace tandem::servers
