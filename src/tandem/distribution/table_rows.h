#pragma once
#include <cstdint>
#include <deque>
#include <functional>
#include <vector>

#include "tandem/layers/call_context.h"
#include "tandem/layers/weight.h"
#include "tandem/servers/row_gradient.h"

namespace tandem::distribute {

/// What one replica has in a step of the tables that parameter servers hold: the rows that its layers have asked for.
/// Each call of a layer has a leaf of its own of the rows that it needs, (distinct rows, elements of a row), which
/// backward gives the gradient to; no gradient of a whole table is made. Who reads a table in another way than by rows
/// (a layer that is tied to it, a model's own train_step) gets all of it, and all of its rows have a gradient.
class TableRows final : public RowSource, public AbsentWeights {
 public:
  /// Rows of a table, (n, elements of a row); `rows` (n,) int64, rising; undefined: all.
  using Pull = std::function<Tensor(std::size_t table, const Tensor& rows)>;

  /// `tells`: the log is to say, once a table, that all of it is read.
  TableRows(std::vector<Weight> tables, Pull pull, bool tells);

  /// A step begins; the gradients so far stay, since steps are accumulated.
  void begin_step();
  /// Sets all gradients to zero.
  void zero_gradients();
  /// The servers' rows are others from now on than those that layers were given.
  void updated() { current_whole_.assign(current_whole_.size(), nullptr); }
  /// Of a table: in each row, the sum over this step's calls, the last one's first, as backward comes to them.
  const servers::RowGradient& gradient(std::size_t table);

  const std::vector<Weight>& tables() const { return tables_; }
  Tensor rows_of(const Weight& table, const Tensor& ids) override;
  const Tensor* bring(const Variable& variable) override;

 private:
  struct Call {
    std::size_t table;
    Tensor rows;
    Tensor leaf;
  };
  // Adds the gradients that backward has given since the last time.
  void gather();
  servers::RowGradient none_of(std::size_t table) const;
  std::size_t find(const Variable& variable) const;
  Tensor& leaf_of(std::size_t table, Tensor rows, Tensor values);

  const std::vector<Weight> tables_;
  const Pull pull_;
  std::deque<Call> calls_;  // who reads a weight keeps a reference
  std::vector<servers::RowGradient> sums_;
  std::vector<const Tensor*> current_whole_;
  std::vector<bool> tells_;  // by table: still
};

}  // namespace tandem::distribute
