#include "tandem/network/make_segment.h"

#include <algorithm>
#include <map>

namespace tandem {
namespace {

void note_last_uses(Segment& segment) {
  std::vector<bool> needed(segment.slots, false);
  for (const auto& [inner, number] : segment.writes) needed[inner] = true;
  for (auto step = segment.steps.rbegin(); step != segment.steps.rend(); ++step) {
    for (auto slot : step->reads) {
      if (!needed[slot]) step->last_use.push_back(slot);
      needed[slot] = true;
    }
  }
}

}  // namespace

std::vector<std::size_t> makers_of(const FlatGraph& flat) {
  std::vector<std::size_t> maker(flat.slots, flat.steps.size());
  for (std::size_t i = 0; i < flat.steps.size(); ++i) {
    for (std::size_t j = 0; j < flat.steps[i].count; ++j) maker[flat.steps[i].writes + j] = i;
  }
  return maker;
}

Segment make_segment(const FlatGraph& flat, const std::vector<std::size_t>& group,
                     const std::vector<std::size_t>& segment_of, const std::vector<std::size_t>& also_reads) {
  Segment made;
  const auto maker = makers_of(flat);
  const auto own = segment_of[group.front()];
  std::vector<bool> leaves(flat.slots, false);  // read elsewhere, or given out
  for (auto slot : flat.outputs) leaves[slot] = true;
  for (std::size_t i = 0; i < flat.steps.size(); ++i) {
    if (segment_of[i] == own) continue;
    for (auto slot : flat.steps[i].reads) leaves[slot] = true;
  }
  std::map<std::size_t, std::size_t> within;
  const auto read = [&](std::size_t slot) {
    const bool is_own = maker[slot] != flat.steps.size() && segment_of[maker[slot]] == own;
    if (!is_own && within.try_emplace(slot, made.slots).second) {
      made.reads.push_back(slot);
      ++made.slots;
    }
  };
  for (auto i : group) std::for_each(flat.steps[i].reads.begin(), flat.steps[i].reads.end(), read);
  std::for_each(also_reads.begin(), also_reads.end(), read);
  for (auto i : group) {
    const auto& step = flat.steps[i];
    PlacedStep placed{step.step, step.layer, step.parts, {}, made.slots, step.count, {}};
    for (auto slot : step.reads) placed.reads.push_back(within.at(slot));
    for (std::size_t j = 0; j < step.count; ++j) {
      const auto slot = step.writes + j;
      within[slot] = made.slots++;
      if (leaves[slot]) made.writes.emplace_back(within[slot], slot);
    }
    made.steps.push_back(std::move(placed));
  }
  note_last_uses(made);
  return made;
}

}  // namespace tandem
