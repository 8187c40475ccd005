#include "tandem/servers/state_frames.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include "tandem/comm/byte_stream.h"
#include "tandem/core/error.h"
#include "tandem/servers/server_message.h"

namespace tandem::servers {

std::vector<Frame> frames_of(const RangeState& state, const ServerPlan& plan, int64_t server, int64_t begin) {
  comm::ByteWriter numbers;
  numbers.numbers(state.numbers);
  std::vector<Frame> frames{Frame::of(numbers.take())};
  for (const auto& slot : state.slots) {
    for (int64_t b = plan.first_block(server); b < plan.first_block(server + 1); ++b)
      frames.push_back(Frame::of(slot.narrow(0, plan.block_begin(b) - begin, plan.block_elements(b))));
  }
  return frames;
}

RangeState state_of(int64_t iterations, const std::vector<Frame>& frames, const ServerPlan& plan, int64_t server) {
  if (frames.size() < 2) throw DataError("a state must have its numbers");
  comm::ByteReader from(frames[1].text());
  RangeState state{iterations, from.numbers<double>(), {}};
  const auto blocks = static_cast<std::size_t>(plan.first_block(server + 1) - plan.first_block(server));
  if (!from.at_end() || (frames.size() - 2) % blocks != 0) throw DataError("a state must have whole slots");
  for (std::size_t first = 2; first < frames.size(); first += blocks)
    state.slots.push_back(at::cat(blocks_of(frames, first, plan, server)));
  return state;
}

std::vector<Tensor> blocks_of(const std::vector<Frame>& frames, std::size_t first, const ServerPlan& plan,
                              int64_t server) {
  std::vector<Tensor> blocks;
  for (int64_t block = plan.first_block(server); block < plan.first_block(server + 1); ++block) {
    if (first + blocks.size() >= frames.size()) throw DataError(c10::str("block ", block, " is missing"));
    const auto& frame = frames[first + blocks.size()];
    check_block({.block = block}, frame.size(), plan, server);
    blocks.push_back(frame.floats());
  }
  return blocks;
}

}  // namespace tandem::servers
