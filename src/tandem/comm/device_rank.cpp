#include "tandem/comm/device_rank.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <c10/util/StringUtil.h>

#include <algorithm>

#include "tandem/core/error.h"
#include "tandem/core/steady_seconds.h"

namespace tandem::comm {
namespace {

constexpr const char* kNames[] = {"all_reduce", "reduce_scatter", "all_gather", "broadcast"};

const char* call_name(DeviceMove move) { return kNames[static_cast<std::size_t>(move)]; }

// The stage of a rank that has put all its work on its stream.
int64_t last_stage(DeviceMove move, bool by_backend) { return move == DeviceMove::all_reduce && !by_backend ? 3 : 2; }

std::string describe_brought(const DevicePart& part) {
  return c10::str(call_name(part.move), " of ", part.brought.scalar_type(), " ", part.brought.sizes(),
                  part.move == DeviceMove::broadcast ? c10::str(" from rank ", part.root) : "");
}

}  // namespace

DeviceRank::DeviceRank(std::shared_ptr<DeviceMeetings> meetings, int64_t rank, Communicator& host)
    : meetings_(std::move(meetings)), rank_(rank), device_(meetings_->device(rank)), stream_(device_), host_(host) {}

DeviceRank::DeviceRank(std::shared_ptr<DeviceMeetings> meetings, int64_t rank, std::unique_ptr<Communicator> host)
    : meetings_(std::move(meetings)),
      rank_(rank),
      device_(meetings_->device(rank)),
      stream_(device_),
      own_host_(std::move(host)),
      host_(*own_host_) {}

DeviceRank::~DeviceRank() = default;

c10::Stream DeviceRank::current_stream() const {
  return c10::impl::VirtualGuardImpl(device_.type()).getStream(device_);
}

DeviceRank::Operation& DeviceRank::start(DeviceMove move, const Tensor& brought, const Tensor& target, int64_t root,
                                         const ReduceOptions& options) {
  close_dropped();
  DeviceMeeting& meeting = meetings_->meeting(rank_, started_++);
  if (idle_.empty()) idle_.push_back(std::make_unique<Operation>());
  active_.push_back(std::move(idle_.back()));
  idle_.pop_back();
  Operation& operation = *active_.back();
  operation = {.ticket = ++tickets_,
               .meeting = &meeting,
               .wants_result = options.wants_result,
               .what = *options.what ? options.what : call_name(move),
               .clock = {.started = steady_seconds()}};
  auto& part = meeting.parts[static_cast<std::size_t>(rank_)];
  part.move = move;
  part.root = root;
  part.brought = brought;
  part.target = target;
  part.events[0].record(current_stream());
  meetings_->reach(meeting, rank_, 1);
  return operation;
}

void DeviceRank::run(DeviceMove move, const Tensor& brought, const Tensor& target, int64_t root) {
  finish(start(move, brought, target, root, {}));
}

int64_t DeviceRank::stage_of(const Operation& operation) const {
  return operation.meeting->parts[static_cast<std::size_t>(rank_)].stage;
}

bool DeviceRank::is_through(const Operation& operation) const {
  const auto& own = operation.meeting->parts[static_cast<std::size_t>(rank_)];
  return own.stage == last_stage(own.move, meetings_->backend(rank_));
}

bool DeviceRank::step() {
  const auto next = std::find_if(active_.begin(), active_.end(), [&](const auto& o) { return !is_through(*o); });
  if (next == active_.end()) return false;
  Operation& operation = **next;
  const int64_t stage = stage_of(operation);
  if (!meetings_->all_reached(*operation.meeting, stage)) return false;
  const double start = steady_seconds();
  if (stage == 1) {
    operation.clock.all_here = start;
    check_same(operation);
  }
  move(operation, operation.meeting->parts[static_cast<std::size_t>(rank_)], stage - 1);
  meetings_->reach(*operation.meeting, rank_, stage + 1);
  moving_ += steady_seconds() - start;
  return true;
}

bool DeviceRank::advance(Operation& until) {
  while (step()) {
  }
  return is_through(until) && meetings_->all_reached(*until.meeting, stage_of(until));
}

ReduceTimes DeviceRank::finish(Operation& operation) {
  while (!advance(operation)) {
    // Those that were started before have their turn first: other ranks may wait for this one's part in them.
    const auto next = std::find_if(active_.begin(), active_.end(), [&](const auto& o) { return !is_through(*o); });
    const Operation& open = next == active_.end() ? operation : **next;
    waiting_ += meetings_->wait(*open.meeting, rank_, stage_of(open), open.what);
  }
  operation.clock.finished = steady_seconds();
  const auto times = operation.clock;
  close(operation);
  return times;
}

void DeviceRank::close(Operation& operation) {
  // Until then the others may read this rank's tensor.
  const auto last = static_cast<std::size_t>(stage_of(operation));
  for (const auto& part : operation.meeting->parts) part.events[last - 1].block(current_stream());
  give_up(operation);
}

void DeviceRank::close_dropped() {
  for (std::size_t i = 0; i < active_.size();) {
    Operation& operation = *active_[i];
    if (operation.dropped && advance(operation)) {
      close(operation);
    } else {
      ++i;
    }
  }
}

DeviceRank::Operation* DeviceRank::find(uint64_t ticket) const {
  const auto found = std::find_if(active_.begin(), active_.end(), [&](const auto& o) { return o->ticket == ticket; });
  return found == active_.end() ? nullptr : found->get();
}

bool DeviceRank::advance(uint64_t ticket) {
  Operation* operation = find(ticket);
  return !operation || advance(*operation);
}

ReduceTimes DeviceRank::wait(uint64_t ticket) {
  if (Operation* operation = find(ticket)) return finish(*operation);
  throw PeerError(c10::str("rank ", rank_, " of ", world_size(), ": what it waits for was given up"));
}

void DeviceRank::let_go(uint64_t ticket) noexcept {
  if (Operation* operation = find(ticket)) operation->dropped = true;
}

void DeviceRank::give_up(Operation& operation) {
  meetings_->leave(*operation.meeting);
  const auto place =
      std::find_if(active_.begin(), active_.end(), [&](const auto& active) { return active.get() == &operation; });
  idle_.push_back(std::move(*place));
  active_.erase(place);
}

void DeviceRank::check_same(Operation& operation) {
  const auto& parts = operation.meeting->parts;
  const auto& own = parts[static_cast<std::size_t>(rank_)];
  for (std::size_t r = 0; r < parts.size(); ++r) {
    const auto& other = parts[r];
    if (other.move == own.move && other.root == own.root && other.brought.sizes() == own.brought.sizes() &&
        other.brought.scalar_type() == own.brought.scalar_type())
      continue;
    const std::string mismatch = c10::str(operation.what, ": rank ", rank_, " brought ", describe_brought(own),
                                          ", rank ", r, " ", describe_brought(other), "; they must be equal");
    give_up(operation);
    throw InvalidArgument(mismatch);
  }
}

void DeviceRank::reset() {
  for (auto& operation : active_) idle_.push_back(std::move(operation));
  active_.clear();
  started_ = 0;
}

}  // namespace tandem::comm
