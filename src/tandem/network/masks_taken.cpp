#include "tandem/network/masks_taken.h"

#include <algorithm>

#include "tandem/layers/attention_layer.h"
#include "tandem/layers/merging.h"

namespace tandem {

void note_taken_masks(std::vector<GraphStep>& steps, std::size_t slots) {
  std::vector<bool> gone(slots, false);
  for (auto& step : steps) {
    const auto is_gone = [&](std::size_t slot) { return gone[slot]; };
    const auto* attention = dynamic_cast<const AttentionLayer*>(step.layer);
    bool output_gone;
    if (attention) {
      for (std::size_t i = 0; i < step.reads.size(); ++i) {
        if (is_gone(step.reads[i])) step.without_mask.push_back(i);
      }
      const auto call = attention->read_call(*step.arguments);
      const auto slot = [&](int64_t input) { return step.reads.at(static_cast<std::size_t>(input)); };
      output_gone = is_gone(slot(call.query));
      if (attention->takes_masks()) {
        for (const int64_t input : {call.query, call.value, call.key.value_or(call.value)}) gone[slot(input)] = true;
      }
    } else if (dynamic_cast<const ElementwiseMergeLayer*>(step.layer)) {
      output_gone = std::any_of(step.reads.begin(), step.reads.end(), is_gone);  // they need all their inputs' masks
    } else {
      const bool makes_its_own = step.layer->class_name() == "Masking";
      output_gone = !makes_its_own && std::all_of(step.reads.begin(), step.reads.end(), is_gone);
    }
    for (std::size_t j = 0; j < step.count; ++j) gone[step.writes + j] = output_gone;
  }
}

}  // namespace tandem
