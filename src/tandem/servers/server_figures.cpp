#include "tandem/servers/server_figures.h"

#include <algorithm>
#include <numeric>

#include "tandem/comm/byte_stream.h"
#include "tandem/core/error.h"

namespace tandem::servers {
namespace {

constexpr int64_t kMostStaleness = 1023;  // that has a place of its own

}  // namespace

void ServerFigures::count(int64_t staleness) {
  const auto place = static_cast<std::size_t>(std::clamp<int64_t>(staleness, 0, kMostStaleness));
  if (place >= by_staleness.size()) by_staleness.resize(place + 1);
  ++by_staleness[place];
  max_staleness = std::max(max_staleness, staleness);
  staleness_sum += staleness;
}

int64_t ServerFigures::gradients() const {
  return std::accumulate(by_staleness.begin(), by_staleness.end(), int64_t{0});
}

double ServerFigures::mean_staleness() const {
  const auto all = gradients();
  return all == 0 ? 0 : static_cast<double>(staleness_sum) / static_cast<double>(all);
}

std::string ServerFigures::encode() const {
  comm::ByteWriter to;
  for (const auto n : {updates, held, dropped, dropped_rows, duplicates, max_staleness, staleness_sum, rounds,
                       rounds_begun, bytes_to_servers})
    to.number(n);
  to.numbers(by_staleness);
  return to.take();
}

ServerFigures ServerFigures::decode(std::string_view bytes) {
  comm::ByteReader from(bytes);
  ServerFigures read;
  for (auto* n : {&read.updates, &read.held, &read.dropped, &read.dropped_rows, &read.duplicates, &read.max_staleness,
                  &read.staleness_sum, &read.rounds, &read.rounds_begun, &read.bytes_to_servers})
    *n = from.number<int64_t>();
  read.by_staleness = from.numbers<int64_t>();
  if (!from.at_end()) throw DataError("figures of a server: must be some, got other bytes");
  return read;
}

}  // namespace tandem::servers
