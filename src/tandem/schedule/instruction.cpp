#include "tandem/schedule/instruction.h"

#include <c10/util/StringUtil.h>

#include <algorithm>

#include "tandem/core/error.h"

namespace tandem::schedule {

std::string to_string(Action action) {
  switch (action) {
    case Action::receive_activation:
      return "receive activation";
    case Action::forward:
      return "forward";
    case Action::send_activation:
      return "send activation";
    case Action::receive_gradient:
      return "receive gradient";
    case Action::backward:
      return "backward";
    case Action::send_gradient:
      return "send gradient";
    case Action::exchange:
      return "exchange";
    case Action::update:
      return "update";
  }
  throw InternalError("schedule: unknown action");
}

std::string to_string(const Instruction& instruction) {
  std::string text = to_string(instruction.action);
  if (instruction.micro_batch >= 0) text += c10::str(" ", instruction.micro_batch);
  if (instruction.chunk > 0) text += c10::str(" of chunk ", instruction.chunk);
  return text;
}

void check(const std::string& schedule, const Division& division) {
  const auto at_least_one = [&](const char* what, int64_t n) {
    if (n < 1) throw InvalidArgument(c10::str(schedule, ": ", what, " must be at least 1, got ", n));
  };
  at_least_one("stages", division.stages);
  at_least_one("micro batches", division.micro_batches);
  at_least_one("chunks", division.chunks);
  const int64_t most = std::max(division.micro_batches, division.chunks);
  if (most > kMostPasses || division.micro_batches * division.chunks > kMostPasses) {
    throw InvalidArgument(c10::str(schedule, ": micro batches x chunks must be at most ", kMostPasses, ", got ",
                                   division.micro_batches, " x ", division.chunks));
  }
}

Instructions with_transfers(int64_t stage, const Division& division, const std::vector<Pass>& passes) {
  const int64_t last = division.stages * division.chunks - 1;
  std::vector<int64_t> left(static_cast<std::size_t>(division.chunks), division.micro_batches);
  Instructions list;
  for (const auto& pass : passes) {
    const int64_t part = pass.chunk * division.stages + stage;  // of the model
    const auto add = [&](Action action) { list.push_back({action, pass.micro_batch, pass.chunk}); };
    if (pass.forward) {
      if (part > 0) add(Action::receive_activation);
      add(Action::forward);
      if (part < last) add(Action::send_activation);
      continue;
    }
    if (part < last) add(Action::receive_gradient);
    add(Action::backward);
    if (part > 0) add(Action::send_gradient);
    if (--left[static_cast<std::size_t>(pass.chunk)] == 0) list.push_back({Action::exchange, -1, pass.chunk});
  }
  list.push_back({Action::update});
  return list;
}

}  // namespace tandem::schedule
