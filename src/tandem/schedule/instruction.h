#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace tandem::schedule {

/// What a stage does at one point of a step.
enum class Action {
  receive_activation,  // of the stage before
  forward,
  send_activation,  // to the stage after
  receive_gradient,
  backward,
  send_gradient,
  exchange,  // gradients of a chunk are complete: replicas of the stage may add them up
  update,    // of all of the stage's weights
};

std::string to_string(Action action);

/// One line of a stage's list. A stage may hold several chunks of the model (interleaved); the chunk of all stages with
/// one number follow one another, and the last stage's is followed by the first stage's next one.
struct Instruction {
  Action action;
  int64_t micro_batch = -1;  // -1: of all
  int64_t chunk = 0;
  bool operator==(const Instruction&) const = default;
};

/// "forward 3 of chunk 1".
std::string to_string(const Instruction& instruction);

using Instructions = std::vector<Instruction>;

/// How a step is divided.
struct Division {
  int64_t stages = 1;         // devices in a row
  int64_t micro_batches = 1;  // of a batch
  int64_t chunks = 1;         // of the model on each stage
};

/// Of a stage one way, in a step: lists are made when a strategy is.
inline constexpr int64_t kMostPasses = 100'000;

/// Throws InvalidArgument, naming `schedule`, unless all are at least 1, and passes not more than that.
void check(const std::string& schedule, const Division& division);

/// The order in which a stage makes its forwards and backwards: (forward?, micro batch, chunk).
struct Pass {
  bool forward;
  int64_t micro_batch, chunk;
};

/// The whole list of stage `stage`: its passes, each with what it receives before and sends after, an exchange of a
/// chunk's gradients right after its last backward, and one update at the end.
Instructions with_transfers(int64_t stage, const Division& division, const std::vector<Pass>& passes);

}  // namespace tandem::schedule
