#pragma once
#include "tandem/servers/average_round.h"

namespace tandem::servers {

/// The parameters are divided into a part for each member (comm::slice). Part i starts at member i and goes around,
/// each adding its own; who comes last has the sum, divides it, and the average goes around again. So part i is
/// (((x_i + x_i+1) + x_i+2) ...) / P with members counted around: all have the same bits. Pieces of a part go on as
/// they come, and none is kept.
class RingRound final : public AverageRound {
 public:
  explicit RingRound(Task task);

  void begin() override;
  void hear(int64_t from, const AverageSlice& slice) override;
  void without(int64_t server) override;
  bool complete() const override { return left_ == 0; }
  std::vector<int64_t> missing() const override;

 private:
  int64_t steps() const { return 2 * (static_cast<int64_t>(members()) - 1); }
  // The part that comes in this step.
  std::size_t part_in(int64_t step) const;

  std::size_t place_;
  int64_t next_, before_;                       // servers
  std::vector<std::vector<comm::Span>> parts_;  // by part, its pieces
  std::vector<std::vector<bool>> heard_;        // by step, piece
  std::size_t left_ = 0;
};

}  // namespace tandem::servers
