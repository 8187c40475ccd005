#pragma once
#include "tandem/servers/average_round.h"

namespace tandem::servers {

/// Everybody sends its parameters to everybody. A piece is added up when it is there of all, along the tree over the
/// members (comm::sum_along_tree), and divided by their number: so all have the same bits, which do not depend on who
/// came first. Memory: the others' parameters as they come in.
class GatheredRound final : public AverageRound {
 public:
  explicit GatheredRound(Task task);

  void begin() override;
  void hear(int64_t from, const AverageSlice& slice) override;
  void without(int64_t server) override;
  bool complete() const override { return left_ == 0; }
  std::vector<int64_t> missing() const override;

 private:
  struct Piece {
    std::vector<Tensor> parts;  // by place of the member
    bool done = false;
  };

  void add_up_if_there(std::size_t piece);

  std::vector<comm::Span> spans_;
  std::vector<Piece> pieces_;
  std::vector<bool> without_;  // by place
  std::size_t left_;
};

}  // namespace tandem::servers
