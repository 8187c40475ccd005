#include "tandem/network/divided_graph.h"

#include <algorithm>
#include <map>
#include <set>

#include "tandem/core/mask.h"
#include "tandem/network/flat_graph.h"
#include "tandem/network/make_segment.h"

namespace tandem {
namespace {

using Numbers = std::set<std::size_t>;

// A layer call and how it hangs together with others.
struct Placing {
  std::size_t place;
  Numbers above, below;    // numbers of the cuts that lead to it, and that it leads to, directly or through others
  std::size_t height = 0;  // cuts on the longest way from it to the end
  std::size_t segment = 0;
};

// A dependence between two calls that do not belong in one segment.
struct Cut {
  std::size_t from, to, number;
};

bool has_statistics(const Layer& layer) {
  const auto weights = layer.weights();
  return std::any_of(weights.begin(), weights.end(), [](const Weight& w) { return !w.trainable(); });
}

class Placer {
 public:
  Placer(const Graph& graph, const std::function<std::size_t(const std::optional<Device>&)>& rule)
      : flat_(flatten_graph(graph)), calls_(flat_.steps.size()) {
    for (std::size_t i = 0; i < calls_.size(); ++i) calls_[i].place = rule(flat_.steps[i].device);
    find_dependences();
    walk();
  }

  DividedGraph run() {
    DividedGraph divided{{}, flat_.inputs, flat_.outputs, flat_.slots};
    const auto groups = grouped();
    const auto order = ordered(groups);
    for (std::size_t s = 0; s < order.size(); ++s) {
      for (auto i : groups[order[s]]) calls_[i].segment = s;
    }
    std::vector<std::size_t> segment_of;
    for (const auto& call : calls_) segment_of.push_back(call.segment);
    for (auto g : order) {
      auto& made = divided.segments.emplace_back(make_segment(flat_, groups[g], segment_of));
      made.place = calls_[groups[g].front()].place;
      for (auto before : groups_before(groups[g])) made.after.push_back(before);
    }
    return divided;
  }

 private:
  void find_dependences() {
    const auto maker = makers_of(flat_);
    std::map<std::pair<std::size_t, std::size_t>, std::size_t> numbers;  // by value and the place that takes it
    std::map<const Layer*, std::size_t> last_call;
    for (std::size_t i = 0; i < calls_.size(); ++i) {
      const auto& step = flat_.steps[i];
      for (auto slot : step.reads) {
        const auto from = maker[slot];
        if (from == calls_.size()) continue;
        if (calls_[from].place == calls_[i].place) {
          joins_.push_back({from, i, 0});
        } else {
          cuts_.push_back({from, i, numbers.try_emplace({slot, calls_[i].place}, numbers.size()).first->second});
        }
      }
    }
    for (std::size_t i = 0; i < calls_.size(); ++i) {
      const Layer* layer = flat_.steps[i].layer;
      if (!flat_.steps[i].step || !has_statistics(*layer)) continue;
      const auto [before, is_first] = last_call.try_emplace(layer, i);
      if (is_first) continue;
      cuts_.push_back({before->second, i, numbers.size() + i});
      before->second = i;
    }
  }

  // What is above and below each call. Calls are in an order in which they can be computed, so one way is enough.
  void walk() {
    std::vector<Cut> all = joins_;
    all.insert(all.end(), cuts_.begin(), cuts_.end());
    const auto is_cut = [&](std::size_t k) { return k >= joins_.size(); };
    std::vector<std::vector<std::size_t>> to(calls_.size()), from(calls_.size());
    for (std::size_t k = 0; k < all.size(); ++k) {
      to[all[k].to].push_back(k);
      from[all[k].from].push_back(k);
    }
    for (std::size_t i = 0; i < calls_.size(); ++i) {
      for (auto k : to[i]) {
        const auto& above = calls_[all[k].from].above;
        calls_[i].above.insert(above.begin(), above.end());
        if (is_cut(k)) calls_[i].above.insert(all[k].number);
      }
    }
    for (std::size_t i = calls_.size(); i-- > 0;) {
      for (auto k : from[i]) {
        const auto& next = calls_[all[k].to];
        calls_[i].below.insert(next.below.begin(), next.below.end());
        if (is_cut(k)) calls_[i].below.insert(all[k].number);
        calls_[i].height = std::max(calls_[i].height, next.height + (is_cut(k) ? 1 : 0));
      }
    }
  }

  // Calls by segment. A dependence that is cut makes `above` larger, one that is not leaves the place the same:
  // segments cannot wait for one another in a circle.
  std::vector<std::vector<std::size_t>> grouped() {
    std::map<std::tuple<std::size_t, Numbers, Numbers>, std::size_t> known;
    std::vector<std::vector<std::size_t>> groups;
    for (std::size_t i = 0; i < calls_.size(); ++i) {
      const auto [found, is_new] =
          known.try_emplace({calls_[i].place, calls_[i].above, calls_[i].below}, groups.size());
      if (is_new) groups.emplace_back();
      groups[found->second].push_back(i);
      calls_[i].segment = found->second;
    }
    return groups;
  }

  std::set<std::size_t> groups_before(const std::vector<std::size_t>& group) const {
    std::set<std::size_t> before;
    for (const auto* dependences : {&joins_, &cuts_}) {
      for (const auto& d : *dependences) {
        const auto own = calls_[group.front()].segment;
        if (calls_[d.to].segment == own && calls_[d.from].segment != own) before.insert(calls_[d.from].segment);
      }
    }
    return before;
  }

  // Of the segments whose needs are met, first the one with the longest way to the end.
  std::vector<std::size_t> ordered(const std::vector<std::vector<std::size_t>>& groups) const {
    std::vector<std::set<std::size_t>> waits;
    for (const auto& group : groups) waits.push_back(groups_before(group));
    std::vector<std::size_t> order;
    std::vector<bool> done(groups.size(), false);
    while (order.size() < groups.size()) {
      std::size_t best = groups.size();
      for (std::size_t g = 0; g < groups.size(); ++g) {
        const bool ready = std::all_of(waits[g].begin(), waits[g].end(), [&](std::size_t w) { return done[w]; });
        if (done[g] || !ready) continue;
        if (best == groups.size() || calls_[groups[g].front()].height > calls_[groups[best].front()].height) best = g;
      }
      done[best] = true;
      order.push_back(best);
    }
    return order;
  }

  FlatGraph flat_;
  std::vector<Placing> calls_;
  std::vector<Cut> joins_, cuts_;
};

}  // namespace

Tensors PlacedStep::run(const Tensors& inputs, const CallContext& graph_context) const {
  CallContext context = graph_context;
  for (auto part : parts) context = context.part(part);
  if (step) return step->run(inputs, context);
  return with_mask_of(inputs.front(), layer->call_many(inputs, context).front());  // an Input, to its type
}

std::vector<Tensor> Segment::run(std::vector<Tensor> given, const CallContext& context) const {
  std::vector<Tensor> values = std::move(given);
  values.resize(slots);
  for (const auto& step : steps) {
    Tensors arguments;
    for (auto slot : step.reads) arguments.push_back(values[slot]);
    Tensors made = step.run(arguments, context);
    for (std::size_t j = 0; j < step.count; ++j) values[step.writes + j] = std::move(made[static_cast<int64_t>(j)]);
    for (auto slot : step.last_use) values[slot].reset();
  }
  std::vector<Tensor> written;
  for (const auto& [within, number] : writes) written.push_back(values[within]);
  return written;
}

DividedGraph divide_graph(const Graph& graph, const std::function<std::size_t(const std::optional<Device>&)>& rule) {
  return Placer(graph, rule).run();
}

}  // namespace tandem
