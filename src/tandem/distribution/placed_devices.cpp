#include "tandem/distribution/placed_devices.h"

#include <c10/util/StringUtil.h>

#include <algorithm>
#include <memory>

#include "tandem/core/steady_seconds.h"
#include "tandem/distribution/placed_round.h"

namespace tandem::distribute {
namespace {

std::vector<std::string> names_after_first(const Devices& devices) {
  std::vector<std::string> names;
  for (int64_t d = 1; d < devices.size(); ++d) names.push_back(devices[d].to_string());
  return names;
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
      weights_(std::move(weights), static_cast<std::size_t>(devices_.size())),
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
  PlacedRound round(needs_of(divided, backward), workers);
  const auto work = [&](std::size_t d) {
    const auto piece = [&](std::size_t s) {
      const double start = steady_seconds();
      segment(s);
      if (timed && d > 0) facts_[d].computing += steady_seconds() - start;
    };
    return round.work(own[d], piece, name);
  };
  for (std::size_t d = 1; d < own.size(); ++d) {
    if (!own[d].empty()) threads_.start(d - 1, [&work, d] { work(d); });
  }
  double waited = own.front().empty() ? 0 : work(0);
  waited += round.finish();
  if (timed) waiting_ += waited;
}

void PlacedDevices::note_sent(std::size_t from, std::size_t to, const Tensor& tensor) {
  if (from != to) facts_[from].sent.fetch_add(static_cast<int64_t>(tensor.nbytes()), std::memory_order_relaxed);
}

void PlacedDevices::reset_traces() {
  traces_.clear();
  for (int64_t d = 1; d < devices_.size(); ++d) traces_.emplace_back(devices_[d].to_string());
}

std::vector<TraceSpan> PlacedDevices::trace_spans() const {
  std::vector<TraceSpan> all;
  for (const auto& trace : traces_) {
    const auto spans = trace.spans();
    all.insert(all.end(), spans.begin(), spans.end());
  }
  return all;
}

}  // namespace tandem::distribute
