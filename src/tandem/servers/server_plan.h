#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tandem/optimizers/optimizer.h"

namespace tandem::servers {

/// When gradients are applied. sync: all workers' of a step together. async: each when it comes. stale: as async, but
/// none that is older than a bound.
enum class ServerMode : uint8_t { sync, stale, async };

/// "sync", "stale" and "async". Throws InvalidArgument on another name.
ServerMode server_mode(const std::string& name);
const char* name_of(ServerMode mode);

/// Where a weight lies in the flat buffer of all parameters, in elements, and how.
struct PlannedWeight {
  std::string name;
  int64_t offset = 0;
  std::vector<int64_t> shape;
  std::vector<int64_t> strides = {};  // empty: row by row
  /// Workers get the rows of it that they ask for, and push the gradients of those alone.
  bool is_table = false;
  // What each update projects it with: Keras's class name, none where it is empty, and settings as JSON.
  std::string constraint = {};
  std::string constraint_config = {};
  int64_t number = 0;  // of the model's trained weights, which the plan has by offset

  int64_t count() const;
  /// Elements of a row, the first axis left out.
  int64_t row() const { return shape[0] > 0 ? count() / shape[0] : 0; }
  bool operator==(const PlannedWeight&) const = default;
};

/// What workers and servers must agree on: plain data. The flat float32 buffer of a model's parameters is divided into
/// a range for each server, and each range into blocks, one to a message. Tables lie behind all other weights, without
/// gaps, and are divided between rows.
struct ServerPlan {
  ServerMode mode = ServerMode::sync;
  int64_t workers = 1;
  /// stale: no applied gradient was made of parameters that are more updates old.
  int64_t staleness = 0;
  /// sync: so many of the slowest workers' gradients are left out of each update.
  int64_t backup_workers = 0;
  /// What the workers of a host expect of their server: how it averages with those of other hosts (ServerSync), and
  /// updates between rounds. Empty: nothing.
  std::string server_sync = {};
  int64_t sync_every = 0;
  std::string optimizer = {};         // class name
  std::string optimizer_config = {};  // JSON
  std::vector<PlannedWeight> weights = {};
  int64_t elements = 0;
  std::vector<int64_t> server_edges = {};  // 0, ..., elements: server s has [edge s, edge s + 1)
  std::vector<int64_t> block_edges = {};   // likewise; each server edge is one

  /// No worker may be missing.
  bool needs_all() const { return mode == ServerMode::sync && backup_workers == 0; }
  int64_t servers() const { return static_cast<int64_t>(server_edges.size()) - 1; }
  int64_t blocks() const { return static_cast<int64_t>(block_edges.size()) - 1; }
  int64_t block_begin(int64_t block) const { return block_edges[static_cast<std::size_t>(block)]; }
  int64_t block_elements(int64_t block) const { return block_begin(block + 1) - block_begin(block); }
  int64_t server_begin(int64_t server) const { return server_edges[static_cast<std::size_t>(server)]; }
  /// First block of a server; of servers(): one behind the last.
  int64_t first_block(int64_t server) const;
  int64_t server_of(int64_t block) const;
  /// Of those that do not belong to a table.
  int64_t largest_block() const;
  /// What lies before the tables.
  int64_t dense_elements() const;
  /// The weight that a block belongs to, where that is a table; nothing where there is no such block.
  std::optional<std::size_t> table_of(int64_t block) const;
  /// Of a block of a table.
  int64_t block_rows(int64_t block) const { return block_elements(block) / weights[*table_of(block)].row(); }
  /// Some weight is projected, for which it must be whole.
  bool constrained() const;

  std::string encode() const;
  /// Throws DataError on bytes that are no plan, or one that does not hold together; takes no more memory than they
  /// are long.
  static ServerPlan decode(std::string_view bytes);
  bool operator==(const ServerPlan&) const = default;
};

/// A block is no longer, and so no row of a table.
inline constexpr int64_t kLongestBlock = 64 << 20;  // bytes

/// Fills in optimizer and edges. Ranges are as even as they go: they end at any element, in a table at any row, where
/// the rule treats each element by itself and clips by no norm, and no weight has a constraint, else between weights.
/// Throws InvalidArgument on numbers out of range; on more servers than there is to divide; on global_clipnorm with
/// several servers, none of which sees the whole norm; and on rules that scale the loss. Each block of a table is a
/// message in every step, so they are long.
ServerPlan divide_among_servers(ServerPlan plan, const Optimizer& optimizer, int64_t servers,
                                int64_t block_bytes = 1 << 20, int64_t table_block_bytes = kLongestBlock);

/// The plan's optimizer. Throws InvalidArgument where it cannot run on servers (above), or its text is none.
std::shared_ptr<Optimizer> make_optimizer(const ServerPlan& plan);

}  // namespace tandem::servers
