#include "tandem/distribution/rank_figures.h"

namespace tandem::distribute {

void RankFigures::put(PeerMessage& message) const {
  message.put(loss);
  message.put(static_cast<double>(updates));
  message.put(outputs);
  message.put(static_cast<double>(reported.size()));
  for (const auto& [name, value] : reported) {
    message.put(name);
    message.put(value);
  }
}

RankFigures RankFigures::take(PeerMessage& message) {
  RankFigures figures;
  figures.loss = message.number();
  figures.updates = message.integer();
  figures.outputs = message.numbers();
  for (int64_t left = message.integer(); left > 0; --left) {
    const auto name = message.text();
    figures.reported[name] = message.number();
  }
  return figures;
}

}  // namespace tandem::distribute
