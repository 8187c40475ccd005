#include "tandem/servers/free_table.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include <algorithm>

#include "tandem/core/error.h"

namespace tandem::servers {

FreeTable::FreeTable(const ServerPlan& plan, int64_t server, Send send)
    : ParameterTable(plan, server, std::move(send)),
      workers_(static_cast<std::size_t>(plan.workers), Worker{.parts = PushParts(last_ - first_)}),
      gradient_(plan, server, range_.touched_alone()) {}

void FreeTable::take(const Push& push, std::size_t place) {
  Worker& from = worker(push.worker);
  if (std::find(waiting_.begin(), waiting_.end(), std::pair(push.worker, push.id)) != waiting_.end()) return;
  if (push.id <= from.used) {
    // Newer than the answer that it may have had to other blocks: from.given stays.
    if (from.kept) from.kept = version_;
    return answer(push.worker, push.id, push.block, Outcome::duplicate);
  }
  check_version(from, push);
  from.parts.add(place, push);
  if (!from.parts.complete()) return;
  from.given.reset();
  from.used = push.id;
  const int64_t staleness = version_ - push.version;
  const bool at_once = may_update();
  if (at_once && held_.versions.empty()) {
    apply(from.parts);
  } else {
    hold(from.parts);
    if (at_once) apply_held();
    if (!at_once) ++figures_.held;
  }
  from.parts.clear();
  if (!at_once && waits()) {
    waiting_.emplace_back(push.worker, push.id);
    return;
  }
  answer_waiting();
  answer_all_blocks(push.worker, push.id, at_once ? Outcome::applied : Outcome::held, staleness);
}

void FreeTable::check_version(Worker& from, const Push& push) {
  const int64_t newest = from.kept.value_or(version_);
  int64_t oldest = 0;
  if (plan_.mode == ServerMode::stale) {
    // It rested when the snapshot was made, and has pulled since: its push says when.
    if (!from.given && from.kept && push.version <= newest)
      from.given = std::max(push.version, version_ - plan_.staleness);
    oldest = from.given.value_or(newest + 1);
  }
  if (push.version >= oldest && push.version <= newest) return;
  const auto allowed = oldest > newest    ? std::string("parameters that it was given since it rested")
                       : oldest == newest ? c10::str("version ", newest)
                                          : c10::str("a version from ", oldest, " to ", newest);
  throw DataError(c10::str("push ", push.id, " of worker ", push.worker, ": must be made of ", allowed,
                           ", got version ", push.version,
                           push.version > newest && from.kept ? ", of an update that was not saved" : ""));
}

void FreeTable::answer_all_blocks(int64_t number, uint64_t id, Outcome outcome, int64_t staleness) {
  worker(number).given = version_;
  worker(number).kept.reset();
  for (int64_t block = first_; block < last_; ++block) answer(number, id, block, outcome, staleness);
}

void FreeTable::answer_waiting() {
  for (const auto& [number, id] : std::exchange(waiting_, {})) answer_all_blocks(number, id, Outcome::applied, 0);
}

bool FreeTable::may_update() const {
  return plan_.mode == ServerMode::async || std::all_of(workers_.begin(), workers_.end(), [&](const Worker& other) {
           return !other.given || version_ + 1 - *other.given <= plan_.staleness;
         });
}

void FreeTable::apply(const PushParts& parts) {
  const Push& push = parts.push();
  const auto place = [&](int64_t block) { return static_cast<std::size_t>(block - first_); };
  const bool together = push.scale != 1 || range_.changes_gradient() || !range_.by_part();
  bool counts = false;
  if (together) gradient_.begin(first_);
  for (int64_t block = first_; block < last_; ++block) {
    const bool of_table = plan_.table_of(block).has_value();
    Tensor values = parts.gradients()[place(block)];
    if (!together && !of_table) {
      counts = range_.update(begin_of(block), values, iteration_, push.rate);
      continue;
    }
    if (!together) gradient_.begin(block);
    if (of_table) {
      gradient_.put(block, parts.rows(place(block)));
    } else {
      gradient_.place(block).copy_(values);
    }
    if (!together) counts = update_by(gradient_, push.rate);
  }
  if (together) {
    if (push.scale != 1) gradient_.values().mul_(push.scale);
    counts = update_by(gradient_, push.rate);
  }
  figures_.count(version_ - push.version);
  has_updated(counts);
}

bool FreeTable::update_by(const RangeGradient& gradient, double rate) {
  Tensor values = gradient.values();
  return range_.update(gradient.offset(), values, gradient.touched(), iteration_, rate);
}

void FreeTable::hold(const PushParts& parts) {
  const Push& push = parts.push();
  const double factor = push.scale * static_cast<double>(push.rows);
  const bool is_first = held_.versions.empty();
  if (is_first) gradient_.begin(first_);
  held_.rows.resize(static_cast<std::size_t>(last_ - first_));
  for (int64_t block = first_; block < last_; ++block) {
    const auto place = static_cast<std::size_t>(block - first_);
    const auto& values = parts.gradients()[place];
    if (plan_.table_of(block)) {
      const RowGradient weighed{parts.rows(place).rows, values * factor};
      held_.rows[place] = is_first ? weighed : add(held_.rows[place], weighed);
    } else if (is_first) {
      gradient_.place(block).zero_().add_(values, factor);
    } else {
      gradient_.values().narrow(0, begin_of(block), values.numel()).add_(values, factor);
    }
  }
  held_.batch_rows += push.rows;
  held_.rate = push.rate;
  held_.versions.push_back(push.version);
}

void FreeTable::apply_held() {
  for (int64_t block = first_; block < last_; ++block) {
    if (plan_.table_of(block)) gradient_.put(block, held_.rows[static_cast<std::size_t>(block - first_)]);
  }
  if (held_.batch_rows > 0) gradient_.values().div_(static_cast<double>(held_.batch_rows));
  const bool counts = update_by(gradient_, held_.rate);
  for (const auto version : held_.versions) figures_.count(version_ - version);
  held_.versions.clear();
  held_.rows.clear();
  held_.batch_rows = 0;
  has_updated(counts);
}

void FreeTable::has_updated(bool counts) {
  ++version_;
  ++figures_.updates;
  if (counts) ++iteration_;
  for (int64_t block = first_; block < last_; ++block) changed(block);
}

void FreeTable::look_again() {
  if (held_.versions.empty() || !may_update()) return;
  apply_held();
  answer_waiting();
}

std::vector<uint64_t> FreeTable::used() const {
  std::vector<uint64_t> ids;
  for (const auto& one : workers_) ids.push_back(one.used);
  return ids;
}

void FreeTable::set_used(int64_t version, const std::vector<uint64_t>& used) {
  version_ = version;
  for (std::size_t w = 0; w < workers_.size(); ++w) workers_[w].used = used[w];
}

std::vector<int64_t> FreeTable::given() const {
  std::vector<int64_t> versions;
  for (const auto& one : workers_) versions.push_back(one.given.value_or(-1));
  return versions;
}

void FreeTable::on_join(int64_t number) { worker(number) = {.parts = PushParts(last_ - first_)}; }

void FreeTable::on_rejoin(int64_t number, int64_t given) {
  worker(number).kept = version_;
  if (given >= 0) worker(number).given = given;
}

void FreeTable::on_pull(int64_t number, uint64_t id, int64_t /*pass*/) {
  Worker& from = worker(number);
  from.parts.clear();
  // Asked once more by a new connection: some blocks may have come by the old one.
  const bool again = id > 0 && (id == from.pulled || from.kept);
  from.pulled = id;
  const auto given = again ? from.given : std::nullopt;
  from.kept.reset();
  if (!given) {
    from.given.reset();
    look_again();
  }
  from.given = given.value_or(version_);
}

void FreeTable::on_rest(int64_t number, int64_t /*pass*/) {
  std::erase_if(waiting_, [&](const auto& one) { return one.first == number; });
  worker(number).parts.clear();
  worker(number).given.reset();
  look_again();
}

void FreeTable::on_gone(int64_t number, const std::string& /*why*/) { on_rest(number, 0); }

std::string FreeTable::waiting_for() const {
  std::string names;
  for (std::size_t w = 0; w < workers_.size(); ++w) {
    if (!workers_[w].parts.empty()) names += c10::str(names.empty() ? "the rest of a push of worker " : ", ", w);
  }
  return names;
}

}  // namespace tandem::servers
