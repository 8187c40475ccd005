#include "tandem/servers/parameter_table.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include <algorithm>
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
      doing_(static_cast<std::size_t>(plan.workers), Doing::away) {}

void ParameterTable::begin(int64_t block, const Tensor& values) {
  range_.parameters().narrow(0, begin_of(block), plan_.block_elements(block)).copy_(values);
  changed(block);
}

void ParameterTable::join(int64_t worker) {
  come(worker);
  on_join(worker);
}

void ParameterTable::rejoin(int64_t worker, int64_t given) {
  come(worker);
  on_rejoin(worker, given);
}

void ParameterTable::come(int64_t worker) {
  if (worker < 0 || worker >= plan_.workers)
    throw DataError(c10::str("worker must be below ", plan_.workers, ", got ", worker));
  if (is_here(worker)) throw DataError(c10::str("worker ", worker, " has joined already"));
  does(worker, Doing::working);  // it pulls next
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
  const auto table = plan_.table_of(push.block);
  if (table.has_value() != push.table_rows.defined())
    throw DataError(c10::str("push of worker ", push.worker, ": must have rows where its block is of a table alone"));
  const int64_t elements =
      table ? push.table_rows.numel() * plan_.weights[*table].row() : plan_.block_elements(push.block);
  if (push.gradient.numel() != elements)
    throw DataError(c10::str("push of worker ", push.worker, ": block ", push.block, " must have ", elements,
                             " elements, got ", push.gradient.numel()));
  does(push.worker, Doing::working);
  take(push, static_cast<std::size_t>(push.block - first_));
}

void ParameterTable::pull(int64_t worker, uint64_t id, int64_t pass) {
  check_worker(worker);
  does(worker, Doing::working);
  on_pull(worker, id, pass);
  for (int64_t block = first_; block < last_; ++block) answer(worker, id, block, Outcome::pulled);
}

std::vector<Tensor> ParameterTable::copies() {
  std::vector<Tensor> all;
  for (int64_t block = first_; block < last_; ++block) {
    const Tensor values = range_.parameters().narrow(0, begin_of(block), plan_.block_elements(block));
    // Blocks of tables are far longer than the others, whose buffers are used again.
    all.push_back(plan_.table_of(block) ? values.clone() : shared_.copy_of(block - first_, values));
  }
  return all;
}

void ParameterTable::read_rows(int64_t worker, uint64_t id, int64_t block, const Tensor& rows) {
  check_worker(worker);
  const auto table = plan_.table_of(block);
  if (block < first_ || block >= last_ || !table)
    throw DataError(
        c10::str("rows for worker ", worker, ": must be of a table's block that is here, got block ", block));
  const Tensor all = range_.parameters().narrow(0, begin_of(block), plan_.block_elements(block));
  const Tensor values =
      rows.defined() ? all.view({-1, plan_.weights[*table].row()}).index_select(0, rows).view({-1}) : all.clone();
  send_(worker, {.kind = Kind::rows, .id = id, .block = block, .outcome = Outcome::pulled, .parameters = values});
}

void ParameterTable::rest(int64_t worker, int64_t pass) {
  check_worker(worker);
  does(worker, Doing::resting);
  on_rest(worker, pass);
}

void ParameterTable::leave(int64_t worker) {
  if (!is_here(worker)) return;
  does(worker, Doing::away);
  on_gone(worker, "");
}

void ParameterTable::lost(int64_t worker, const std::string& why) {
  if (!is_here(worker)) return;
  does(worker, Doing::lost);
  on_gone(worker, why);
}

bool ParameterTable::idle() const {
  const auto most = *std::max_element(doing_.begin(), doing_.end());
  return most == Doing::lost || most == Doing::resting;
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
  spare.given = given();
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
  BlockAnswer given{Kind::params, id, block, version_of(block), outcome, staleness, {}};
  if (!plan_.table_of(block)) {
    const auto values = range_.parameters().narrow(0, begin_of(block), plan_.block_elements(block));
    given.parameters = shared_.copy_of(block - first_, values);
  }
  send_(worker, given);
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
