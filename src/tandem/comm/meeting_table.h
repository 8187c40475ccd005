#pragma once
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <optional>
#include <string>

#include "tandem/comm/meeting_message.h"

namespace tandem::comm {

/// The keys of a meeting, and who waits for which. Knows no sockets: answers go to a function.
class MeetingTable {
 public:
  /// `who`: whom the answer is for.
  using Send = std::function<void(const std::string& who, const MeetingAnswer& answer)>;

  explicit MeetingTable(Send send) : send_(std::move(send)) {}

  /// Answers at once, or when the keys are there or the limit has passed. `now`: seconds of the steady clock. What
  /// would let the values take more than 256 MiB in all is not taken, and not answered.
  void ask(const std::string& who, MeetingRequest request, double now);
  /// Answers those whose limit has passed.
  void expire(double now);
  /// When the next limit passes.
  std::optional<double> next_limit() const;

 private:
  struct Waiting {
    std::string who;
    MeetingRequest request;
    double until;
  };

  bool all_there(const MeetingRequest& request) const;
  void put(const std::string& key, std::string value);
  void look_again();

  Send send_;
  std::map<std::string, std::string> values_;
  std::size_t bytes_ = 0;
  std::list<Waiting> waiting_;
};

}  // namespace tandem::comm
