#pragma once
#include <map>
#include <string>
#include <vector>

#include "tandem/distribution/peer_message.h"
#include "tandem/distribution/step_figures.h"

namespace tandem::distribute {

/// One rank's parts of the means that a step gave.
struct RankFigures {
  double loss = 0;
  std::vector<double> outputs = {};
  std::map<std::string, double> reported = {};

  static RankFigures of(const StepFigures& figures) {
    return {figures.loss(), figures.by_output(), figures.reported()};
  }
  void put(PeerMessage& message) const;
  static RankFigures take(PeerMessage& message);
};

}  // namespace tandem::distribute
