#include "tandem/schedule/virtual_clock.h"

#include <c10/util/StringUtil.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

#include "tandem/core/error.h"

namespace tandem::schedule {
namespace {

// What travels: (gradient?, micro batch, part of the model that it is for).
using Message = std::tuple<bool, int64_t, int64_t>;

struct Stage {
  std::size_t next = 0;
  double now = 0;
  int64_t alive = 0;
};

}  // namespace

double Simulation::bubble() const {
  const double all = seconds * static_cast<double>(busy.size());
  return 1 - std::accumulate(busy.begin(), busy.end(), 0.0) / all;
}

Simulation simulate(const std::vector<Instructions>& stages, const Division& division, const Costs& costs) {
  Simulation result{.busy = std::vector<double>(stages.size()), .most_alive = std::vector<int64_t>(stages.size())};
  std::vector<Stage> at(stages.size());
  std::map<Message, double> arrivals;
  for (bool moved = true; moved;) {
    moved = false;
    for (std::size_t s = 0; s < stages.size(); ++s) {
      auto& stage = at[s];
      for (; stage.next < stages[s].size(); ++stage.next, moved = true) {
        const auto& [action, micro_batch, chunk] = stages[s][stage.next];
        const int64_t part = chunk * division.stages + static_cast<int64_t>(s);
        if (action == Action::receive_activation || action == Action::receive_gradient) {
          const auto found = arrivals.find({action == Action::receive_gradient, micro_batch, part});
          if (found == arrivals.end()) break;
          stage.now = std::max(stage.now, found->second);
        } else if (action == Action::send_activation) {
          arrivals[{false, micro_batch, part + 1}] = stage.now + costs.transfer;
        } else if (action == Action::send_gradient) {
          arrivals[{true, micro_batch, part - 1}] = stage.now + costs.transfer;
        } else if (action == Action::forward || action == Action::backward) {
          const bool forward = action == Action::forward;
          stage.alive += forward ? 1 : -1;
          result.most_alive[s] = std::max(result.most_alive[s], stage.alive);
          stage.now += forward ? costs.forward : costs.backward;
          result.busy[s] += forward ? costs.forward : costs.backward;
        }
      }
    }
  }
  for (std::size_t s = 0; s < stages.size(); ++s) {
    if (at[s].next < stages[s].size()) {
      throw InternalError(
          c10::str("schedule: stage ", s, " waits for ever at '", to_string(stages[s][at[s].next]), "'"));
    }
    result.seconds = std::max(result.seconds, at[s].now);
  }
  return result;
}

}  // namespace tandem::schedule
