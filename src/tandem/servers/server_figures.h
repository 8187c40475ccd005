#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tandem::servers {

/// What became of the gradients that a server was given.
struct ServerFigures {
  int64_t updates = 0;
  int64_t held = 0;     // pushes whose update was put off, and made with others' later
  int64_t dropped = 0;  // pushes that came after the others' update
  int64_t dropped_rows = 0;
  int64_t duplicates = 0;  // blocks that were there already
  /// How many applied gradients were made of parameters so many updates old; those beyond the last place are in it.
  std::vector<int64_t> by_staleness = {};
  int64_t max_staleness = 0;
  int64_t staleness_sum = 0;
  /// Rounds of averaging with the servers of other hosts that took effect, those that this server has come to, and
  /// bytes of parameters sent to the others.
  int64_t rounds = 0;
  int64_t rounds_begun = 0;
  int64_t bytes_to_servers = 0;

  void count(int64_t staleness);
  int64_t gradients() const;
  double mean_staleness() const;

  std::string encode() const;
  /// Throws DataError on other bytes.
  static ServerFigures decode(std::string_view bytes);
  bool operator==(const ServerFigures&) const = default;
};

}  // namespace tandem::servers
