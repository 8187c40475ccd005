#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "tandem/comm/slices.h"
#include "tandem/core/tensor.h"
#include "tandem/servers/server_sync.h"

namespace tandem::servers {

/// Elements [begin, begin + size) of the flat parameters on their way to another server: float32 (size,).
struct AverageSlice {
  int64_t step = 0;  // of a ring's 2 (P - 1) among P servers; else 0
  int64_t begin = 0;
  Tensor values = {};  // not to be changed
};

/// One round of averaging among some servers, as one of them sees it: told what has come, it says what to send.
/// Slices that are there already are left out, so that all may be sent again. Knows no network, no threads.
class AverageRound {
 public:
  using Send = std::function<void(int64_t to, const AverageSlice& slice)>;
  struct Task {
    std::vector<int64_t> members = {};  // numbers of the servers that take part, in order, `own` among them
    int64_t own = 0;
    Tensor values = {};  // this server's parameters (n,), float32, contiguous
    Tensor result = {};  // (n,): the average is written here. In a ring it may be the memory of `values`.
    Send send = {};
  };

  static std::unique_ptr<AverageRound> make(ServerSync way, Task task);
  virtual ~AverageRound() = default;
  AverageRound(const AverageRound&) = delete;
  AverageRound& operator=(const AverageRound&) = delete;

  /// Sends what can be sent at once.
  virtual void begin() = 0;
  /// Throws DataError on a slice that is none of this round.
  virtual void hear(int64_t from, const AverageSlice& slice) = 0;
  /// Waits for nothing more of this one; what is there of it counts. Not in a ring.
  virtual void without(int64_t server) = 0;
  virtual bool complete() const = 0;
  /// Those whose slices are missing.
  virtual std::vector<int64_t> missing() const = 0;

 protected:
  explicit AverageRound(Task task) : task_(std::move(task)) {}

  std::size_t members() const { return task_.members.size(); }
  /// Its place among the members. Throws DataError where it is none.
  std::size_t place_of(int64_t server) const;
  Tensor part(const Tensor& of, const comm::Span& span) const;

  Task task_;
};

/// `span` in pieces, one to a message.
std::vector<comm::Span> pieces_of(const comm::Span& span);
/// Which of the pieces it is. Throws DataError where it is none of them.
std::size_t piece_at(const std::vector<comm::Span>& pieces, const AverageSlice& slice);

}  // namespace tandem::servers
