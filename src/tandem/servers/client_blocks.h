#pragma once
#include <cstdint>
#include <utility>
#include <vector>

#include "tandem/servers/frame.h"
#include "tandem/servers/server_message.h"
#include "tandem/servers/server_plan.h"

namespace tandem::servers {

/// What a worker has asked of its servers by block, and what came. To be used by one thread at a time.
class ClientBlocks {
 public:
  struct Question {
    Header header;                    // a push, a pull, or for rows
    std::vector<Frame> payload = {};  // kept for as long as there is no answer, to be sent again
    int64_t answer = 0;               // elements that it will have
  };
  struct Arrived {
    Header header;
    Frame values;
  };

  ClientBlocks() = default;
  explicit ClientBlocks(const ServerPlan& plan)
      : plan_(plan),
        blocks_(static_cast<std::size_t>(plan.blocks())),
        pushed_(static_cast<std::size_t>(plan.servers())) {}

  /// A block's place in a flat buffer.
  Tensor part(const Tensor& flat, int64_t block) const;
  static void write(const Frame& values, Tensor part);

  /// Remembers the question, and puts the version into it that the block has here; into those of a gradient that goes
  /// into one update the oldest that any of the server's blocks has: where answers were lost, those that came for them
  /// are newer.
  const Question& ask(Header header, std::vector<Frame> payload);
  /// Nothing is asked any more; answers that still come are not kept.
  void forget();
  /// True from ask until the answer was taken.
  bool is_asked(int64_t block) const { return of(block).state != State::idle; }
  bool waits(int64_t block) const { return of(block).state == State::asked; }
  std::vector<Question> unanswered(int64_t server) const;
  /// First block of the server that waits for an answer; -1: none.
  int64_t first_missing(int64_t server) const;

  /// Keeps an answer, unless nothing was asked or it answers something else: what was sent again may be answered twice.
  /// Throws DataError on a block that is not the server's, or of another size.
  void answer(const Header& header, const Frame& values, int64_t server);
  bool any_arrived(Kind kind) const { return !arrived(kind).empty(); }
  /// Answers of kind params or rows.
  std::vector<Arrived> take_arrived(Kind kind);

  /// Of gradients and parameters.
  int64_t bytes_sent() const { return bytes_sent_; }
  int64_t bytes_received() const { return bytes_received_; }

 private:
  enum class State : uint8_t { idle, asked, arrived };
  struct Block {
    State state = State::idle;
    int64_t version = 0;
    Question question;
  };
  struct Gradient {
    uint64_t id = 0;
    int64_t version = 0;
  };
  int64_t version_of(const Header& header);
  int64_t answer_elements(const Header& header, const std::vector<Frame>& payload) const;
  std::vector<Arrived>& arrived(Kind kind) { return kind == Kind::rows ? arrived_rows_ : arrived_; }
  const std::vector<Arrived>& arrived(Kind kind) const { return kind == Kind::rows ? arrived_rows_ : arrived_; }
  const Block& of(int64_t block) const { return blocks_[static_cast<std::size_t>(block)]; }

  ServerPlan plan_;
  std::vector<Block> blocks_;
  std::vector<Gradient> pushed_;  // by server: the last one
  std::vector<Arrived> arrived_, arrived_rows_;
  int64_t bytes_sent_ = 0, bytes_received_ = 0;
};

}  // namespace tandem::servers
