#include "tandem/comm/hosts_rank.h"

#include <ATen/ATen.h>
#include <c10/util/ScopeExit.h>
#include <c10/util/StringUtil.h>

#include <algorithm>
#include <bit>

#include "tandem/comm/check_tensors.h"
#include "tandem/comm/slices.h"
#include "tandem/comm/sum_tree.h"
#include "tandem/core/error.h"
#include "tandem/core/steady_seconds.h"

namespace tandem::comm {
namespace {

// Memory in its order, as one axis.
Tensor as_line(const Tensor& tensor) { return tensor.as_strided({tensor.numel()}, {1}); }

// The first rank of a host needs its host's sum even where it does not want that of all.
ReduceOptions with_result(ReduceOptions options) {
  options.wants_result = true;
  return options;
}

}  // namespace

int64_t HostPlan::host_of(int64_t rank) const {
  return std::upper_bound(begins.begin(), begins.end(), rank) - begins.begin() - 1;
}

HostsRank::HostsRank(HostPlan plan, int64_t rank, HostsWays ways)
    : plan_(std::move(plan)), rank_(rank), host_(plan_.host_of(rank)), ways_(ways) {
  ways_.up->seat().add(*this);
}

HostsRank::~HostsRank() { ways_.up->seat().remove(*this); }

// While it waits on its host for anything else.
void HostsRank::progress() {
  if (moving_on_ || in_progress_.empty()) return;
  moving_on_ = true;
  const auto no_more = c10::make_scope_exit([this] { moving_on_ = false; });
  progress(oldest_ + in_progress_.size() - 1);
}

// The network rings no bell.
bool HostsRank::polls() const {
  return leads() && std::any_of(in_progress_.begin(), in_progress_.end(),
                                [](const InProgress& one) { return one.sent_across && !one.down_started; });
}

template <class Act>
auto HostsRank::guarded(const Act& act) -> decltype(act()) {
  try {
    return act();
  } catch (const PeerError& error) {
    const std::string own = error.what(), first = ways_.fail(own);
    throw PeerError(first == own ? own : c10::str("rank ", rank_, ": ", first));
  }
}

void HostsRank::check_order(const ReduceOptions& options) const {
  if (!along_tree(options)) return;
  const bool equal = std::all_of(plan_.begins.begin(), plan_.begins.end() - 1,
                                 [&](int64_t first) { return plan_.size(plan_.host_of(first)) == plan_.size(0); });
  if (equal && std::has_single_bit(static_cast<uint64_t>(plan_.hosts()))) return;
  throw InvalidArgument(c10::str(
      "all_reduce: to add in the order of one process, hosts must be a power of two with equally many ranks, got ",
      plan_.ranks(), " ranks on ", plan_.hosts(), " hosts"));
}

void HostsRank::reduce_across(Communicator& across, Tensor& tensor, const ReduceOptions& options) {
  if (!along_tree(options)) return across.all_reduce(tensor, with_result(options));
  Tensor own = as_line(tensor);
  Tensor all = at::empty({plan_.hosts() * own.numel()}, own.options());
  across.all_gather(own, all);
  std::vector<const void*> addends;
  for (int64_t h = 0; h < plan_.hosts(); ++h)
    addends.push_back(all.narrow(0, h * own.numel(), own.numel()).const_data_ptr());
  void* result = own.mutable_data_ptr();
  sum_along_tree(own.scalar_type(), addends.data(), plan_.hosts(), &result, 1, {0, own.numel()});
}

void HostsRank::all_reduce(Tensor& tensor, const ReduceOptions& options) {
  check_order(options);
  guarded([&] {
    ways_.up->all_reduce(tensor, with_result(options));
    if (leads()) reduce_across(*ways_.across, tensor, options);
    ways_.down->broadcast(tensor, 0);
  });
}

Pending HostsRank::all_reduce_async(Tensor& tensor, const ReduceOptions& options) {
  check_order(options);
  InProgress one;
  one.tensor = tensor;
  one.options = with_result(options);
  one.times.started = steady_seconds();
  return guarded([&] {
    one.up = ways_.up->all_reduce_async(tensor, one.options);
    return start(std::move(one));
  });
}

Pending HostsRank::broadcast_async(Tensor& tensor, int64_t root) {
  check_dense(tensor, "broadcast");
  check_root(root, world_size());
  const auto from = plan_.host_of(root);
  InProgress one;
  one.tensor = tensor;
  one.from_host = from;
  one.times.started = steady_seconds();
  return guarded([&] {
    if (host_ == from) one.up = ways_.up->broadcast_async(tensor, root - plan_.first(from));
    return start(std::move(one));
  });
}

Pending HostsRank::start(InProgress one) {
  in_progress_.push_back(std::move(one));
  const auto ticket = oldest_ + in_progress_.size() - 1;
  progress();
  return Pending(*this, ticket);
}

void HostsRank::send_across(InProgress& one) {
  auto& across = *ways_.across_started;
  if (one.from_host) {
    one.across = across.broadcast_async(one.tensor, *one.from_host);
  } else if (along_tree(one.options)) {
    reduce_across(across, one.tensor, one.options);
  } else {
    one.across = across.all_reduce_async(one.tensor, one.options);
  }
  one.sent_across = true;
}

// Of the operations in their order: each goes to the network when its host has added up, and is handed out when it is
// back, so all ranks make the same calls in the same order.
void HostsRank::progress(uint64_t ticket) {
  for (uint64_t n = oldest_; n <= ticket; ++n) {
    auto& one = in_progress(n);
    if (!one.up_done) {
      if (!one.up.advance()) return;
      one.times.all_here = one.up.wait().all_here;
      one.up_done = true;
    }
    if (leads() && !one.sent_across) send_across(one);
  }
  for (uint64_t n = oldest_; n <= ticket; ++n) {
    auto& one = in_progress(n);
    if (!one.up_done) return;
    if (one.down_started) {
      one.down.advance();
      continue;
    }
    if (leads()) {
      if (!one.across.advance()) return;
      one.across.wait();
    }
    if (one.from_host != host_) one.down = ways_.down->broadcast_async(one.tensor, 0);
    one.down_started = true;
  }
}

bool HostsRank::advance(uint64_t ticket) {
  if (ticket < oldest_) return true;
  return guarded([&] {
    progress();
    auto& one = in_progress(ticket);
    return one.down_started && one.down.advance();
  });
}

ReduceTimes HostsRank::wait(uint64_t ticket) {
  return guarded([&] { return finish(ticket); });
}

ReduceTimes HostsRank::finish(uint64_t ticket) {
  moving_on_ = true;
  const auto no_more = c10::make_scope_exit([this] { moving_on_ = false; });
  for (uint64_t n = oldest_; n <= ticket; ++n) {
    auto& one = in_progress(n);
    if (!one.up_done) {
      one.times.all_here = one.up.wait().all_here;
      one.up_done = true;
    }
    progress(n);
  }
  for (uint64_t n = oldest_; n <= ticket; ++n) {
    auto& one = in_progress(n);
    if (!one.down_started && leads()) one.across.wait();
    progress(n);
  }
  auto& one = in_progress(ticket);
  one.times.finished = one.down.active() ? one.down.wait().finished : steady_seconds();
  const auto times = one.times;
  let_go(ticket);
  return times;
}

// Those that nobody waits for any more go when they are finished.
void HostsRank::let_go(uint64_t ticket) noexcept {
  if (ticket < oldest_) return;
  in_progress(ticket).wanted = false;
  while (!in_progress_.empty() && !in_progress_.front().wanted && in_progress_.front().down_started) {
    in_progress_.pop_front();
    ++oldest_;
  }
}

// As the sum, of which each takes its part: over the network travels what all_reduce sends.
void HostsRank::reduce_scatter(const Tensor& whole, Tensor& part) {
  check_divided(whole, part, world_size(), "reduce_scatter");
  Tensor sum = whole.clone();
  all_reduce(sum, {});
  part.view({-1}).copy_(sum.view({-1}).narrow(0, rank_ * part.numel(), part.numel()));
}

void HostsRank::all_gather(const Tensor& part, Tensor& whole) {
  check_divided(whole, part, world_size(), "all_gather");
  Tensor line = whole.view({-1});
  const auto of_host = [&](int64_t host) {
    return line.narrow(0, plan_.first(host) * part.numel(), plan_.size(host) * part.numel());
  };
  Tensor here = of_host(host_);
  guarded([&] {
    ways_.up->all_gather(part, here);
    for (int64_t h = 0; leads() && h < plan_.hosts(); ++h) {
      Tensor theirs = of_host(h);
      ways_.across->broadcast(theirs, h);
    }
    ways_.down->broadcast(line, 0);
  });
}

void HostsRank::broadcast(Tensor& tensor, int64_t root) {
  check_dense(tensor, "broadcast");
  check_root(root, world_size());
  const auto from = plan_.host_of(root);
  guarded([&] {
    if (host_ == from) ways_.up->broadcast(tensor, root - plan_.first(from));
    if (leads()) ways_.across->broadcast(tensor, from);
    if (host_ != from) ways_.down->broadcast(tensor, 0);
  });
}

void HostsRank::barrier() {
  guarded([&] {
    ways_.up->barrier();
    if (leads()) ways_.across->barrier();
    ways_.down->barrier();
  });
}

ProcessRank& HostsRank::for_messages(int64_t peer) {
  check_peer(peer, rank_, world_size(), "message");
  if (!ways_.all) {
    throw InvalidArgument(
        c10::str("message between ranks ", rank_, " and ", peer, ": threads of several hosts cannot send any"));
  }
  return *ways_.all;
}

void HostsRank::send(const Tensor& tensor, int64_t to, int64_t tag) {
  const bool here = plan_.host_of(to) == host_;
  if (here) return ways_.up->send(tensor, to - plan_.first(host_), tag);
  auto& way = for_messages(to);
  guarded([&] { way.send(tensor, to, tag); });
}

void HostsRank::expect_messages() {
  if (ways_.all) ways_.all->expect_messages();
}

void HostsRank::recv(Tensor& tensor, int64_t from, int64_t tag) {
  const bool here = plan_.host_of(from) == host_;
  if (here) return ways_.up->recv(tensor, from - plan_.first(host_), tag);
  auto& way = for_messages(from);
  // One of this host may wait until this rank takes its message, before it sends what others wait for.
  guarded([&] { way.recv_while(tensor, from, tag, [this] { ways_.up->seat().progress(); }); });
}

std::unique_ptr<Communicator> HostsRank::subgroup(const std::vector<int64_t>& ranks) {
  const bool here = std::all_of(ranks.begin(), ranks.end(),
                                [&](int64_t r) { return r >= 0 && r < world_size() && plan_.host_of(r) == host_; });
  if (!here) return for_messages(rank_ == 0 ? 1 : 0).subgroup(ranks);
  auto own = ranks;
  for (auto& r : own) r -= plan_.first(host_);
  return ways_.up->subgroup(own);
}

int64_t HostsRank::bytes_sent() const {
  return ways_.up->bytes_sent() + ways_.down->bytes_sent() +
         (leads() ? ways_.across->bytes_sent() + ways_.across_started->bytes_sent() : 0);
}
double HostsRank::seconds_waiting() const {
  return ways_.up->seconds_waiting() + ways_.down->seconds_waiting() +
         (leads() ? ways_.across->seconds_waiting() + ways_.across_started->seconds_waiting() : 0);
}
double HostsRank::seconds_moving() const {
  return ways_.up->seconds_moving() + ways_.down->seconds_moving() +
         (leads() ? ways_.across->seconds_moving() + ways_.across_started->seconds_moving() : 0);
}

}  // namespace tandem::comm
