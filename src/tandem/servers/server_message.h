#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tandem/core/tensor.h"
#include "tandem/servers/server_plan.h"

namespace tandem::servers {

/// What workers and servers say to one another. A worker begins with hello and ends with leave.
enum class Kind : uint8_t {
  hello,           // the plan, and of worker 0 each block's parameters; answered by hello when worker 0's is there.
                   // In sync a server with snapshots answers worker 0 by their updates first, and waits for resume
  push,            // a block's gradient, of a table's rows and their gradients; answered by params, at once or when its
                   // update is made
  params,          // a block's parameters, of a table none
  pull,            // answered by params of all the server's blocks
  rows,            // some rows of a table's block, or, without a payload, all; answered by rows with their values
  rest,            // the worker computes no gradient until it pulls again, and gives up what it has pushed by half
  leave,           // the worker is done; answered by leave
  ping,            // answered by ping with a text: whom the server waits for; unasked where it has been stopped
  state,           // answered by the optimizer's state
  set_state,       // sets it; answered by set_state
  figures,         // answered by figures
  desk,            // to and from the work desk (desk_talk.h)
  resume,          // worker 0 -> server that has offered what is saved: of which update it goes on; answered by hello
  set_parameters,  // of each block the server has; answered by set_parameters
  average,         // asks for a round among the servers of all hosts; answered by average when it has taken effect
  watch,           // of one that looks on: asks for the parameters from an update on; answered by watch (watch_talk.h)
  // Between the servers of several hosts, whose numbers stand in place of the worker's:
  peer,   // what both must agree on
  saved,  // before that: of which rounds it has snapshots
  come,   // its next round begins, for which it has all of the last one
  slice,  // of a round: some of its parameters, or of a ring's sum
  part,   // it takes part in no more rounds; answered by parted
  parted,
  error,  // of a server: a text, and whose fault it is
};

/// Of an error, so that a worker ends as it would where it had noticed by itself.
enum class Fault : uint8_t {
  job,       // PeerError
  argument,  // InvalidArgument: what this worker was told to do
  files,     // DataError: what the server has saved
};

/// What became of a push, or why else parameters come.
enum class Outcome : uint8_t { applied, held, dropped, duplicate, pulled };
const char* name_of(Outcome outcome);

/// The first frame of each message; fields that a kind does not name are 0. Payloads are frames of their own.
struct Header {
  Kind kind = Kind::ping;
  Outcome outcome = Outcome::applied;  // of params
  int32_t worker = 0;
  // Of push, pull, rows and average, and their answers: counts a worker's; of state: iterations; of leave: 1 where the
  // worker may come back, since it could not go on; of hello: counts them; of error: the Fault; of come and slice: the
  // round; of part: the first without it.
  uint64_t id = 0;
  // Of push, params and rows; of hello: the number of the server that is meant; of slice: its begin; of error: the kind
  // of what is refused.
  int64_t block = 0;
  // Of push: of the parameters that it was made of; of params: theirs; of hello and resume: the update that was saved
  // and the server goes on from, 0: none; of pull and rest: the pass; of average: up to which round, 0: the next; of
  // slice: a ring's step; of peer and saved: the run; of come: 1 where the end of the round is to be saved; of error:
  // the id of what is refused.
  int64_t version = 0;
  // Of params: updates made meanwhile; of a server's ping: 1 where it has been stopped, and workers should end.
  int64_t staleness = 0;
  int64_t rows = 0;      // of push: of the gradient's batch
  int64_t all_rows = 0;  // of push in sync: of all workers' batches together; 0: unknown
  double rate = -1;      // of push: the learning rate; below 0: the optimizer's own
  double scale = 1;      // of push: what the gradient is to be multiplied with

  bool operator==(const Header&) const = default;
};

/// Between servers, as above.
bool is_between_servers(Kind kind);

std::string encode(const Header& header);
/// Nothing where the bytes are no header or hold numbers that nobody sends: negative counts, rates that are no number.
std::optional<Header> decode_header(std::string_view bytes);

/// Throws DataError unless block and worker are some of the plan's and the block is one of `server`'s.
void check_is_here(const Header& header, const ServerPlan& plan, int64_t server);
/// Throws DataError unless a payload is so many float32 values.
void check_bytes(const Header& header, std::size_t payload_bytes, int64_t elements);
/// Throws DataError as both, of a payload of exactly the block's values.
void check_block(const Header& header, std::size_t payload_bytes, const ServerPlan& plan, int64_t server);

inline constexpr std::size_t kBytesOfRow = sizeof(uint32_t);
/// Rows of a block of a table, as they travel: counted from the block's first.
std::string encode_rows(const Tensor& rows);
/// The rows (m,), int64. Throws DataError unless the block is one of `server`'s and of a table, and the rows rise
/// within it: before more memory is taken than their number, which is at most the block's, needs.
Tensor decode_rows(std::string_view bytes, const Header& header, const ServerPlan& plan, int64_t server);

/// No frame is longer: a block, or a text such as the plan.
inline constexpr int64_t kLongestFrame = 64 << 20;

}  // namespace tandem::servers
