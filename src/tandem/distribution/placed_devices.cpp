#include "tandem/distribution/placed_devices.h"

#include <c10/util/StringUtil.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "tandem/core/steady_seconds.h"
#include "tandem/distribution/placed_order.h"
#include "tandem/distribution/placed_round.h"

namespace tandem::distribute {
namespace {

std::vector<std::string> names_after_first(const Devices& devices) {
  std::vector<std::string> names;
  for (int64_t d = 1; d < devices.size(); ++d) names.push_back(devices[d].to_string());
  return names;
}

std::vector<c10::Device> memory_of(const Devices& devices) {
  std::vector<c10::Device> memory;
  for (const auto& device : devices) memory.push_back(torch_device(device));
  return memory;
}

// Which segments must have ended before each.
std::vector<std::vector<std::size_t>> needs_of(const DividedGraph& divided, bool backward) {
  std::vector<std::vector<std::size_t>> needs(divided.segments.size());
  for (std::size_t s = 0; s < needs.size(); ++s) {
    for (auto before : divided.segments[s].after) {
      if (backward) needs[before].push_back(s);
      if (!backward) needs[s].push_back(before);
    }
  }
  return needs;
}

}  // namespace

PlacedDevices::PlacedDevices(Devices devices, std::vector<Weight> weights, int64_t threads_per_device)
    : devices_(std::move(devices)),
      memory_(memory_of(devices_)),
      streams_(memory_.begin() + 1, memory_.end()),
      gpus_(std::any_of(memory_.begin(), memory_.end(), [](const auto& memory) { return !memory.is_cpu(); })),
      weights_(std::move(weights), memory_),
      facts_(static_cast<std::size_t>(devices_.size())),
      threads_(names_after_first(devices_), threads_per_device) {
  reset_traces();
}

void PlacedDevices::run(const DividedGraph& divided, bool backward, bool timed,
                        const std::function<void(std::size_t)>& segment) {
  std::vector<std::vector<std::size_t>> own(facts_.size());
  for (std::size_t s = 0; s < divided.segments.size(); ++s) own[divided.segments[s].place].push_back(s);
  if (backward) {
    for (auto& segments : own) std::reverse(segments.begin(), segments.end());
  }
  const auto workers = static_cast<std::size_t>(
      std::count_if(own.begin(), own.end(), [](const auto& segments) { return !segments.empty(); }));
  const auto name = [&](std::size_t s) {
    const auto& piece = divided.segments[s];
    return c10::str("device ", devices_[static_cast<int64_t>(piece.place)].to_string(), " at layer '",
                    piece.steps.front().layer->name(), "'");
  };
  auto needs = needs_of(divided, backward);
  std::optional<PlacedOrder> order;
  if (gpus_) order.emplace(memory_, needs.size());
  const auto needs_on_gpus = gpus_ ? needs : decltype(needs)();
  PlacedRound round(std::move(needs), workers);
  const auto work = [&](std::size_t d) {
    const auto piece = [&](std::size_t s) {
      const double start = steady_seconds();
      if (order) order->begin(d, needs_on_gpus[s]);
      segment(s);
      if (order) order->end(d, s);
      if (timed && d > 0) facts_[d].computing += steady_seconds() - start;
    };
    return round.work(own[d], piece, name);
  };
  for (std::size_t d = 1; d < own.size(); ++d) {
    if (own[d].empty()) continue;
    threads_.start(d - 1, [this, &work, d] {
      const StreamScope stream(streams_[d - 1]);
      work(d);
    });
  }
  double waited = own.front().empty() ? 0 : work(0);
  try {
    waited += round.finish();
  } catch (...) {
    for (const auto& stream : streams_) stream.synchronize();  // they may use what nobody keeps from now on
    throw;
  }
  if (order) order->finish();
  if (timed) waiting_ += waited;
}

void PlacedDevices::note_sent(std::size_t from, std::size_t to, const Tensor& tensor) {
  if (from != to) facts_[from].sent.fetch_add(static_cast<int64_t>(tensor.nbytes()), std::memory_order_relaxed);
}

void PlacedDevices::reset_traces() {
  traces_.clear();
  for (int64_t d = 1; d < devices_.size(); ++d) traces_.emplace_back(devices_[d].to_string());
}

std::vector<TraceSpan> PlacedDevices::trace_spans() const { return spans_of(traces_); }

}  // namespace tandem::distribute
