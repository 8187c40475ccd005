#include "tandem/network/cut_graph.h"

#include <c10/util/StringUtil.h>

#include "tandem/core/error.h"
#include "tandem/network/make_segment.h"

namespace tandem {

DividedGraph cut_graph(const FlatGraph& flat, const std::vector<std::size_t>& part_of, std::size_t parts) {
  const auto maker = makers_of(flat);
  std::vector<std::vector<std::size_t>> groups(parts);
  for (std::size_t i = 0; i < flat.steps.size(); ++i) {
    for (auto slot : flat.steps[i].reads) {
      if (maker[slot] < flat.steps.size() && part_of[maker[slot]] > part_of[i])
        throw InternalError(c10::str("cut_graph: layer '", flat.steps[i].layer->name(), "' reads from a later part"));
    }
    groups.at(part_of[i]).push_back(i);
  }
  DividedGraph cut{{}, flat.inputs, flat.outputs, flat.slots};
  for (std::size_t p = 0; p < parts; ++p) {
    if (groups[p].empty()) throw InternalError(c10::str("cut_graph: part ", p, " has no layer"));
    const bool last = p + 1 == parts;
    auto& made = cut.segments.emplace_back(
        make_segment(flat, groups[p], part_of, last ? flat.outputs : std::vector<std::size_t>()));
    made.place = p;
    if (p > 0) made.after = {p - 1};
  }
  return cut;
}

}  // namespace tandem
