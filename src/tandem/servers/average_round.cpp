#include "tandem/servers/average_round.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include <algorithm>

#include "tandem/core/error.h"
#include "tandem/servers/gathered_round.h"
#include "tandem/servers/ring_round.h"

namespace tandem::servers {
namespace {

constexpr int64_t kPieceElements = 1 << 18;  // 1 MiB: one is added up while the next is on its way

}  // namespace

std::unique_ptr<AverageRound> AverageRound::make(ServerSync way, Task task) {
  if (way == ServerSync::ring) return std::make_unique<RingRound>(std::move(task));
  return std::make_unique<GatheredRound>(std::move(task));
}

std::size_t AverageRound::place_of(int64_t server) const {
  const auto at = std::find(task_.members.begin(), task_.members.end(), server);
  if (at == task_.members.end()) throw DataError(c10::str("server ", server, " takes no part in this round"));
  return static_cast<std::size_t>(at - task_.members.begin());
}

Tensor AverageRound::part(const Tensor& of, const comm::Span& span) const {
  return of.narrow(0, span.begin, span.size());
}

std::vector<comm::Span> pieces_of(const comm::Span& span) {
  std::vector<comm::Span> pieces;
  for (int64_t begin = span.begin; begin < span.end; begin += kPieceElements)
    pieces.push_back({begin, std::min(span.end, begin + kPieceElements)});
  return pieces;
}

std::size_t piece_at(const std::vector<comm::Span>& pieces, const AverageSlice& slice) {
  const auto at = std::lower_bound(pieces.begin(), pieces.end(), slice.begin,
                                   [](const comm::Span& piece, int64_t begin) { return piece.begin < begin; });
  if (at == pieces.end() || at->begin != slice.begin || at->size() != slice.values.numel())
    throw DataError(c10::str("slice of ", slice.values.numel(), " elements from ", slice.begin, " in step ", slice.step,
                             ": must be one of the round's"));
  return static_cast<std::size_t>(at - pieces.begin());
}

}  // namespace tandem::servers
