#include "tandem/servers/sync_table.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include <algorithm>

#include "tandem/comm/sum_tree.h"
#include "tandem/core/error.h"

namespace tandem::servers {

SyncTable::SyncTable(const ServerPlan& plan, int64_t server, Send send)
    : ParameterTable(plan, server, std::move(send)),
      gone_(static_cast<std::size_t>(plan.workers)),
      ended_(static_cast<std::size_t>(plan.workers)),
      sum_(plan, server, range_.touched_alone()) {
  // With backups all blocks of an update must be of the same workers.
  const bool apart = range_.by_part() && plan.backup_workers == 0;
  const auto workers = static_cast<std::size_t>(plan.workers);
  for (int64_t block = first_; block < last_;) {
    const int64_t next = apart ? block + 1 : last_;
    units_.push_back({block, next, 0, 0, 0, std::vector<PushParts>(workers, PushParts(next - block)),
                      std::vector<uint64_t>(workers), std::vector<uint64_t>(workers)});
    block = next;
  }
}

void SyncTable::take(const Push& push, std::size_t /*place*/) {
  Unit& unit = units_[unit_of(push.block)];
  const auto w = static_cast<std::size_t>(push.worker);
  if (push.id <= unit.used[w]) return answer(push.worker, push.id, push.block, Outcome::duplicate);
  if (push.id <= unit.left_out[w]) return answer(push.worker, push.id, push.block, Outcome::dropped);
  if (push.version > unit.version || (push.version < unit.version && plan_.backup_workers == 0))
    throw DataError(c10::str("push ", push.id, " of worker ", push.worker, ": must be made of version ", unit.version,
                             " of block ", push.block, ", got ", push.version));
  auto& parts = unit.parts[w];
  parts.add(static_cast<std::size_t>(push.block - unit.first_block), push);
  if (push.version < unit.version) {
    // When all of it is there, so that the worker goes on from parameters of one version.
    if (parts.complete()) drop(unit, push.worker);
  } else if (!update_if_enough(unit)) {
    check_enough(unit);
  }
}

int64_t SyncTable::needed() const {
  int64_t expected = plan_.workers;
  for (std::size_t w = 0; w < ended_.size() && plan_.backup_workers > 0; ++w) {
    if (gone_[w] || (pass_ > 0 && ended_[w] >= pass_)) --expected;
  }
  return std::clamp<int64_t>(expected, 1, plan_.workers - plan_.backup_workers);
}

bool SyncTable::update_if_enough(Unit& unit) {
  std::vector<int64_t> in;
  for (int64_t worker = 0; worker < plan_.workers; ++worker) {
    if (unit.parts[static_cast<std::size_t>(worker)].complete()) in.push_back(worker);
  }
  if (static_cast<int64_t>(in.size()) < needed()) return false;
  update(unit, in);
  return true;
}

void SyncTable::drop(Unit& unit, int64_t worker) {
  const auto id = unit.parts[static_cast<std::size_t>(worker)].push().id;
  unit.left_out[static_cast<std::size_t>(worker)] = id;
  forget(unit, worker);
  for (int64_t block = unit.first_block; block < unit.last_block; ++block) answer(worker, id, block, Outcome::dropped);
}

void SyncTable::forget(Unit& unit, int64_t worker) {
  auto& parts = unit.parts[static_cast<std::size_t>(worker)];
  if (!parts.empty() && plan_.backup_workers > 0) {
    ++figures_.dropped;
    figures_.dropped_rows += parts.push().rows;
  }
  parts.clear();
}

void SyncTable::update(Unit& unit, const std::vector<int64_t>& in) {
  const auto parts_of = [&](int64_t worker) -> PushParts& { return unit.parts[static_cast<std::size_t>(worker)]; };
  const Push& first = parts_of(in.front()).push();
  int64_t rows = 0;
  for (const auto worker : in) {
    const Push& push = parts_of(worker).push();
    // Those who are not in step may have been told another rate: the first of them says which.
    const bool one_rate = plan_.backup_workers > 0 || push.rate == first.rate;
    if (!one_rate || push.scale != first.scale)
      throw PeerError(c10::str("workers ", in.front(), " and ", worker, " must give one learning rate and scale, got ",
                               first.rate, " and ", push.rate, ", ", first.scale, " and ", push.scale));
    rows += push.rows;
  }
  add_up(unit, in);
  Tensor gradient = sum_.values();
  double scale = first.scale;
  if (static_cast<int64_t>(in.size()) < plan_.workers) {
    scale *= first.all_rows > 0 && rows > 0 ? static_cast<double>(first.all_rows) / static_cast<double>(rows)
                                            : static_cast<double>(plan_.workers) / static_cast<double>(in.size());
  }
  if (scale != 1) gradient.mul_(scale);
  // Of nobody's rows: workers of another host had all of the step's.
  if (rows > 0 && range_.update(sum_.offset(), gradient, sum_.touched(), unit.iteration, first.rate)) ++unit.iteration;
  ++unit.version;
  ++unit.updates;
  ++all_updates_;
  if (counts(unit)) ++figures_.updates;
  for (int64_t block = unit.first_block; block < unit.last_block; ++block) {
    changed(block);
    for (const auto worker : in) answer(worker, parts_of(worker).push().id, block, Outcome::applied);
  }
  for (const auto worker : in) {
    auto& parts = parts_of(worker);
    unit.used[static_cast<std::size_t>(worker)] = parts.push().id;
    if (counts(unit)) figures_.count(0);
    parts.clear();
  }
}

void SyncTable::add_up(const Unit& unit, const std::vector<int64_t>& in) {
  std::vector<const void*> addends;
  std::vector<RowGradient> rows;
  sum_.begin(unit.first_block);
  for (int64_t block = unit.first_block; block < unit.last_block; ++block) {
    const bool of_table = plan_.table_of(block).has_value();
    addends.clear();
    rows.clear();
    for (const auto worker : in) {
      const auto& parts = unit.parts[static_cast<std::size_t>(worker)];
      const auto place = static_cast<std::size_t>(block - unit.first_block);
      if (of_table) {
        rows.push_back(parts.rows(place));
      } else {
        addends.push_back(parts.gradients()[place].const_data_ptr());
      }
    }
    if (of_table) {
      sum_.put(block, sum_along_tree(rows));
      continue;
    }
    void* result = sum_.place(block).mutable_data_ptr();
    comm::sum_along_tree(at::kFloat, addends.data(), static_cast<int64_t>(addends.size()), &result, 1,
                         {0, plan_.block_elements(block)});
  }
}

void SyncTable::check_enough(const Unit& unit) const {
  int64_t possible = 0;
  std::string gone;
  for (int64_t worker = 0; worker < plan_.workers; ++worker) {
    const auto w = static_cast<std::size_t>(worker);
    if (!gone_[w] || unit.parts[w].complete()) {
      ++possible;
    } else {
      gone += c10::str(gone.empty() ? "worker " : ", ", worker);
    }
  }
  if (possible < plan_.workers - plan_.backup_workers)
    throw PeerError(
        c10::str(gone, " has left, whose gradients the others' update ", unit.version, " needs in mode sync"));
}

void SyncTable::set_iterations(int64_t iterations) {
  for (auto& unit : units_) unit.iteration = iterations;
}

std::optional<int64_t> SyncTable::version() const {
  const auto first = units_.front().version;
  const bool all = std::all_of(units_.begin(), units_.end(), [&](const Unit& unit) { return unit.version == first; });
  return all ? std::optional(first) : std::nullopt;
}

void SyncTable::set_used(int64_t version, const std::vector<uint64_t>& used) {
  for (auto& unit : units_) {
    unit.version = unit.updates = version;
    unit.used = used;
  }
  even_out_updates();
}

void SyncTable::on_join(int64_t worker) {
  const auto w = static_cast<std::size_t>(worker);
  gone_[w] = false;
  ended_[w] = pass_;
  for (auto& unit : units_) {
    unit.used[w] = unit.left_out[w] = 0;
    forget(unit, worker);
  }
}

void SyncTable::on_pull(int64_t worker, uint64_t /*id*/, int64_t pass) {
  if (pass == 0) return;
  auto& ended = ended_[static_cast<std::size_t>(worker)];
  ended = std::min(ended, pass - 1);
  pass_ = std::max(pass_, pass);
}

void SyncTable::on_rest(int64_t worker, int64_t pass) {
  auto& ended = ended_[static_cast<std::size_t>(worker)];
  ended = std::max(ended, pass);
  for (auto& unit : units_) forget(unit, worker);
  even_out_updates();
  for (auto& unit : units_) update_if_enough(unit);
}

// After a step that was given up by half.
void SyncTable::even_out_updates() {
  int64_t most = 0;
  for (const auto& unit : units_) most = std::max(most, unit.updates);
  for (auto& unit : units_) unit.updates = most;
  all_updates_ = most * static_cast<int64_t>(units_.size());
}

void SyncTable::on_gone(int64_t worker, const std::string& why) {
  const auto w = static_cast<std::size_t>(worker);
  gone_[w] = true;
  const auto backups = plan_.backup_workers;
  if (!why.empty() && std::count(gone_.begin(), gone_.end(), true) > backups) {
    const auto needs = backups == 0 ? "all" : c10::str(plan_.workers - backups, " of ", plan_.workers);
    throw PeerError(c10::str("worker ", worker, " ", why, ", and mode sync needs ", needs, " workers"));
  }
  for (auto& unit : units_) {
    if (backups > 0 && !unit.parts[w].complete()) forget(unit, worker);
    if (std::all_of(unit.parts.begin(), unit.parts.end(), [](const auto& parts) { return parts.empty(); })) continue;
    check_enough(unit);
    update_if_enough(unit);
  }
}

std::string SyncTable::waiting_for() const {
  const auto& waiting = std::find_if(units_.begin(), units_.end(), [](const Unit& unit) {
    return std::any_of(unit.parts.begin(), unit.parts.end(), [](const auto& parts) { return !parts.empty(); });
  });
  if (waiting == units_.end()) return {};
  std::string names;
  for (int64_t worker = 0; worker < plan_.workers; ++worker) {
    if (!waiting->parts[static_cast<std::size_t>(worker)].complete())
      names += c10::str(names.empty() ? "worker " : ", ", worker);
  }
  return names;
}

}  // namespace tandem::servers
