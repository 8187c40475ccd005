#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tandem/distribution/peer_message.h"
#include "tandem/distribution/step_figures.h"

namespace tandem::distribute {

/// One rank's parts of the means that a step gave, and what else others must know of it.
struct RankFigures {
  double loss = 0;
  std::vector<double> outputs = {};
  std::map<std::string, double> reported = {};
  int64_t updates = 0;  // that it made

  static RankFigures of(const StepFigures& figures, int64_t updates) {
    return {figures.loss(), figures.by_output(), figures.reported(), updates};
  }
  void put(PeerMessage& message) const;
  static RankFigures take(PeerMessage& message);
};

}  // namespace tandem::distribute
