#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace tandem::servers {

/// Workers that have asked for an average, and are answered when a round has taken effect. A question that a new
/// connection repeats makes no round of its own.
class AverageAsks {
 public:
  bool waits(const std::string& who, uint64_t id) const;
  bool answered(const std::string& who, uint64_t id) const;
  void add(const std::string& who, uint64_t id, int64_t round) { asks_.push_back({who, id, round}); }
  /// answer(who, id) of all whose round is one of the first `rounds`.
  template <class Answer>
  void take(int64_t rounds, const Answer& answer) {
    std::erase_if(asks_, [&](const Asks& asks) {
      if (asks.round > rounds) return false;
      answered_[asks.who] = asks.id;
      answer(asks.who, asks.id);
      return true;
    });
  }
  void forget(const std::string& who);

 private:
  struct Asks {
    std::string who;
    uint64_t id;
    int64_t round;
  };

  std::vector<Asks> asks_;
  std::map<std::string, uint64_t> answered_;  // the last id, by connection
};

}  // namespace tandem::servers
