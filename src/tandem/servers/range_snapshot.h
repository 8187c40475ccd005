#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "tandem/core/tensor.h"
#include "tandem/servers/parameter_range.h"
#include "tandem/servers/server_figures.h"

namespace tandem::servers {

/// A server's range at a moment between two updates: all that training goes on from.
struct RangeSnapshot {
  std::string plan_text = {};
  int64_t server = 0;   // its number
  int64_t version = 0;  // updates made
  RangeState state = {};
  std::vector<uint64_t> used = {};  // by worker: id of its last push that is in
  // By worker: the oldest version that it may compute a gradient of; -1: it rests, or in mode sync, where it is known.
  std::vector<int64_t> given = {};
  std::vector<std::string> names = {};  // by worker: of its connection, empty: it was not there
  ServerFigures figures = {};
  Tensor parameters = {};  // (n,), float32
  // Of one that averages with those of other hosts, when `figures` says how often they did: which one it is, and how.
  std::string host = {};
};

/// Writes it in one step, flushed to the disk. Throws DataError, naming the file.
void write_snapshot(const std::string& path, const RangeSnapshot& snapshot);

/// Throws DataError, naming the file, where it cannot be read, is damaged, or is no snapshot. Takes no more memory than
/// the file is long.
RangeSnapshot read_snapshot(const std::string& path);

}  // namespace tandem::servers
