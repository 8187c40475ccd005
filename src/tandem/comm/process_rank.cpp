#include "tandem/comm/process_rank.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include <algorithm>
#include <numeric>
#include <thread>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <utility>

#include "tandem/comm/check_tensors.h"
#include "tandem/comm/wait_for_ranks.h"
#include "tandem/core/error.h"
#include "tandem/core/steady_seconds.h"

namespace tandem::comm {
namespace {

constexpr double kForOthersToNotice = 2;  // seconds
constexpr std::chrono::milliseconds kWait(200);

std::string key_of(const char* kind, int64_t rank) { return c10::str(kind, "/", rank); }

// LibTorch's errors carry a backtrace.
std::string message_of(const std::exception& error) {
  const auto* with_trace = dynamic_cast<const c10::Error*>(&error);
  return with_trace ? with_trace->what_without_backtrace() : error.what();
}

// The elements as one axis, whatever the order of the axes in memory.
Tensor flat(const Tensor& tensor, const char* call) {
  if (!tensor.is_non_overlapping_and_dense())
    throw InvalidArgument(c10::str(call, ": tensors must be dense, got strides ", tensor.strides()));
  return tensor.as_strided({tensor.numel()}, {1});
}

// What is copied and not computed with travels as bytes, whatever its type.
Tensor bytes(const Tensor& tensor, const char* call) { return flat(tensor, call).view(at::kByte); }

void check_adds_up(const Tensor& tensor, const char* call) {
  const auto type = tensor.scalar_type();
  if (type == at::kBool || at::isComplexType(type) || at::isQIntType(type))
    throw InvalidArgument(c10::str(call, ": tensors of type ", type, " do not add up"));
}

std::string reduce_of(const ReduceOptions& options) {
  return c10::str("all_reduce", *options.what ? " of " : "", options.what);
}

}  // namespace

ProcessRank::ProcessRank(c10::intrusive_ptr<c10d::Store> store, int64_t rank, int64_t ranks,
                         std::chrono::milliseconds limit, MakeBackend make_backend, std::vector<int64_t> numbers,
                         std::function<std::string()> silent)
    : store_(std::move(store)),
      rank_(rank),
      ranks_(ranks),
      limit_(limit),
      make_backend_(std::move(make_backend)),
      numbers_(std::move(numbers)),
      silent_(std::move(silent)) {
  if (numbers_.empty()) {
    numbers_.resize(static_cast<std::size_t>(ranks_));
    std::iota(numbers_.begin(), numbers_.end(), 0);
  }
  // Before the backend, whose own messages name nobody.
  wait_for_ranks(*store_, "here", rank_, ranks_, seconds_of(limit_));
  backend_ = make_backend_(store_, rank_, ranks_);
  started_ = make_backend_(c10::make_intrusive<c10d::PrefixStore>("started", store_), rank_, ranks_);
}

ProcessRank::~ProcessRank() {
  if (failed_) let_go_of_backends();
}

void ProcessRank::check_alive(const char* call) {
  if (failed_)
    throw PeerError(c10::str("rank ", number_of(rank_), ": ", call, ": the ranks parted before: ", failure()));
}

std::string ProcessRank::failure() {
  const std::lock_guard lock(mutex_);
  return failure_;
}

void ProcessRank::run(const std::string& call, const std::function<Work(c10d::Backend&)>& begin) {
  check_alive(call.c_str());
  Work work;
  try {
    work = begin(*backend_.backend);
  } catch (const std::exception& error) {
    fail(call, message_of(error));
  }
  finish(work, call);
}

// In short waits, so that it ends when another thread calls abort.
void ProcessRank::finish(const Work& work, const std::string& call) {
  const double start = steady_seconds(), limit = seconds_of(limit_);
  while (true) {
    try {
      work->wait(std::min(limit_, kWait));
      break;
    } catch (const std::exception& error) {
      if (const auto silent = silent_ ? silent_() : std::string(); !silent.empty()) {
        abort(c10::str(call, ": ", silent));
        who_does_not_notice(1);
      }
      if (failed_ || work->isCompleted() || steady_seconds() - start > limit) fail(call, message_of(error));
    }
  }
  seconds_ += steady_seconds() - start;
}

// Closing its connections wakes the others' operations, but not its own other ones: they, and with them the end of the
// backend, wait for their limit. Nobody else does.
void ProcessRank::let_go_of_backends() {
  const std::lock_guard lock(mutex_);
  close_backends();
  std::thread([gone = std::exchange(backend_, {}), started = std::exchange(started_, {}),
               works = std::exchange(in_progress_, {})] {
  }).detach();
}

void ProcessRank::close_backends() {
  for (const auto* backend : {&backend_, &started_}) {
    if (backend->close) backend->close();
  }
}

void ProcessRank::abort(const std::string& reason) {
  const std::lock_guard lock(mutex_);
  if (failed_) return;
  failure_ = reason;
  failed_ = true;
  close_backends();
}

// The store is mostly in the process of rank 0, which must stay until the others know.
std::vector<int64_t> ProcessRank::who_does_not_notice(std::size_t at_most) {
  std::vector<int64_t> lost;
  try {
    store_->setTimeout(std::chrono::milliseconds(2000));  // who has the store may be lost itself
    store_->set(key_of("noticed", rank_), std::string("1"));
    const double until = steady_seconds() + kForOthersToNotice;
    do {
      lost.clear();
      for (int64_t r = 0; r < ranks_; ++r) {
        if (!store_->check({key_of("noticed", r)})) lost.push_back(number_of(r));
      }
      if (lost.size() > at_most) std::this_thread::sleep_for(std::chrono::milliseconds(50));
    } while (lost.size() > at_most && steady_seconds() < until);
  } catch (const std::exception&) {
    lost = {number_of(0)};
  }
  return lost;
}

void ProcessRank::fail(const std::string& call, const std::string& why) {
  let_go_of_backends();
  if (failed_) throw PeerError(c10::str("rank ", number_of(rank_), ": ", failure()));  // aborted
  const auto lost = who_does_not_notice(0);
  const auto reason = why.substr(0, std::min(why.find('\n'), why.find(". ")));  // what follows is advice
  const auto failure = c10::str(
      call, ": ",
      lost.empty() ? "" : ranks_named(lost) + (lost.size() == 1 ? " is lost or late: " : " are lost or late: "),
      reason);
  {
    const std::lock_guard lock(mutex_);
    failure_ = failure;
    failed_ = true;
  }
  throw PeerError(c10::str("rank ", number_of(rank_), ": ", failure));
}

void ProcessRank::all_reduce(Tensor& tensor, const ReduceOptions& options) {
  check_adds_up(tensor, "all_reduce");
  if (tensor.numel() == 0 || ranks_ == 1) return check_alive("all_reduce");
  std::vector<Tensor> tensors{flat(tensor, "all_reduce")};
  run(reduce_of(options), [&](c10d::Backend& own) { return own.allreduce(tensors, {}); });
  bytes_sent_ += sent_to_reduce(tensor);
}

Pending ProcessRank::all_reduce_async(Tensor& tensor, const ReduceOptions& options) {
  check_adds_up(tensor, "all_reduce");
  std::vector<Tensor> tensors{flat(tensor, "all_reduce")};
  auto pending =
      start(reduce_of(options), tensor.numel() == 0, [&](c10d::Backend& own) { return own.allreduce(tensors, {}); });
  bytes_sent_ += sent_to_reduce(tensor);
  return pending;
}

Pending ProcessRank::start(std::string call, bool idle, const std::function<Work(c10d::Backend&)>& begin) {
  check_alive(call.c_str());
  InProgress one;
  one.what = std::move(call);
  one.times.started = steady_seconds();
  if (!idle && ranks_ > 1) {
    try {
      one.work = begin(*started_.backend);
    } catch (const std::exception& error) {
      fail(one.what, message_of(error));
    }
  }
  const auto ticket = next_ticket_++;
  in_progress_.emplace(ticket, std::move(one));
  return Pending(*this, ticket);
}

bool ProcessRank::advance(uint64_t ticket) {
  const auto found = in_progress_.find(ticket);
  return found == in_progress_.end() || !found->second.work || found->second.work->isCompleted();
}

ReduceTimes ProcessRank::wait(uint64_t ticket) {
  const auto found = in_progress_.find(ticket);
  if (found == in_progress_.end()) throw PeerError(c10::str("rank ", number_of(rank_), ": ", failure()));
  auto one = std::move(found->second);
  in_progress_.erase(found);
  if (one.work) finish(one.work, one.what);
  one.times.all_here = one.times.finished = steady_seconds();
  return one.times;
}

void ProcessRank::let_go(uint64_t ticket) noexcept { in_progress_.erase(ticket); }

void ProcessRank::reduce_scatter(const Tensor& whole, Tensor& part) {
  check_adds_up(whole, "reduce_scatter");
  if (part.numel() == 0) return;
  Tensor from = whole, to = at::empty_like(part);  // the part may lie within the whole
  run("reduce_scatter", [&](c10d::Backend& own) { return own._reduce_scatter_base(to, from, {}); });
  part.copy_(to);
  bytes_sent_ += static_cast<int64_t>(whole.nbytes()) * (ranks_ - 1) / ranks_;
}

void ProcessRank::all_gather(const Tensor& part, Tensor& whole) {
  if (part.numel() == 0) return;
  Tensor from = bytes(part.clone(), "all_gather"), to = bytes(whole, "all_gather");
  run("all_gather", [&](c10d::Backend& own) { return own._allgather_base(to, from, {}); });
  bytes_sent_ += static_cast<int64_t>(part.nbytes()) * (ranks_ - 1);
}

void ProcessRank::broadcast(Tensor& tensor, int64_t root) {
  if (tensor.numel() == 0 || ranks_ == 1) return;
  std::vector<Tensor> tensors{bytes(tensor, "broadcast")};
  c10d::BroadcastOptions options;
  options.rootRank = root;
  run(c10::str("broadcast from rank ", root), [&](c10d::Backend& own) { return own.broadcast(tensors, options); });
  if (rank_ == root) bytes_sent_ += static_cast<int64_t>(tensor.nbytes());
}

Pending ProcessRank::broadcast_async(Tensor& tensor, int64_t root) {
  check_root(root, ranks_);
  std::vector<Tensor> tensors{bytes(tensor, "broadcast")};
  c10d::BroadcastOptions options;
  options.rootRank = root;
  auto pending = start(c10::str("broadcast from rank ", root), tensor.numel() == 0,
                       [&](c10d::Backend& own) { return own.broadcast(tensors, options); });
  if (rank_ == root && ranks_ > 1) bytes_sent_ += static_cast<int64_t>(tensor.nbytes());
  return pending;
}

RankMail& ProcessRank::mail() {
  if (!mail_)
    mail_ = std::make_unique<RankMail>(c10::make_intrusive<c10d::PrefixStore>("mail", store_), rank_, backend_.host);
  return *mail_;
}

void ProcessRank::send(const Tensor& tensor, int64_t to, int64_t tag) {
  check_alive("send");
  check_dense(tensor, "send");
  check_peer(to, rank_, ranks_, "send");
  const double start = steady_seconds();
  mail().send(tensor, to, tag);
  seconds_ += steady_seconds() - start;
  bytes_sent_ += static_cast<int64_t>(tensor.nbytes());
}

void ProcessRank::recv_while(Tensor& tensor, int64_t from, int64_t tag, const std::function<void()>& idle) {
  const auto call = c10::str("recv from rank ", from);
  check_alive(call.c_str());
  check_dense(tensor, "recv");
  check_peer(from, rank_, ranks_, "recv");
  const double start = steady_seconds(), limit = seconds_of(limit_);
  const auto waiting = [&](bool gone) {
    if (failed_) throw PeerError(c10::str("rank ", number_of(rank_), ": ", failure()));
    auto why = gone ? c10::str("rank ", number_of(from), " is lost") : silent_ ? silent_() : std::string();
    if (why.empty() && steady_seconds() - start > limit)
      why = c10::str("waited ", limit, " s for rank ", number_of(from));
    if (why.empty()) return;
    abort(c10::str(call, ": ", why));
    throw PeerError(c10::str("rank ", number_of(rank_), ": ", failure()));
  };
  mail().recv(tensor, from, tag, waiting, idle);
  seconds_ += steady_seconds() - start;
}

void ProcessRank::barrier() {
  run("barrier", [&](c10d::Backend& own) { return own.barrier({}); });
}

std::unique_ptr<Communicator> ProcessRank::subgroup(const std::vector<int64_t>& ranks) {
  const auto own = std::find(ranks.begin(), ranks.end(), rank_);
  if (own == ranks.end())
    throw InvalidArgument(c10::str("subgroup: rank ", rank_, " must be one of ", ranks_named(ranks)));
  const auto name = c10::Join(",", ranks);  // those that call it are the same, and call it as often
  auto store = c10::make_intrusive<c10d::PrefixStore>(c10::str("group ", name, " ", subgroups_[name]++), store_);
  std::vector<int64_t> numbers;
  for (const auto r : ranks) numbers.push_back(number_of(r));
  const auto silent = [this] { return failed_ ? failure() : silent_ ? silent_() : std::string(); };
  return std::make_unique<ProcessRank>(std::move(store), own - ranks.begin(), static_cast<int64_t>(ranks.size()),
                                       limit_, make_backend_, std::move(numbers), silent);
}

}  // namespace tandem::comm
