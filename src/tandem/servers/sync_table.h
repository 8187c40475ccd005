#pragma once
#include "tandem/servers/parameter_table.h"

namespace tandem::servers {

/// Mode sync: update v is made of the gradients of parameters v by all workers, or the first that are there when some
/// are backups (Chen et al. 2016). They are added up in the order of workers, so that the sum does not depend on who
/// came first. Where nothing needs all gradients together each block is updated as soon as its own are in.
///
/// With backups workers need not be in step: each pushes what it has made of the newest parameters that it knows, and
/// what comes after its update was made is dropped and answered with the newest. An update waits for no more gradients
/// than there are workers that have not ended the pass: its last one may have fewer.
class SyncTable final : public ParameterTable {
 public:
  SyncTable(const ServerPlan& plan, int64_t server, Send send);

  std::string waiting_for() const override;
  /// All blocks come to each version together, since workers wait for all of them.
  std::optional<int64_t> version() const override;
  // No worker begins the next update before it has all blocks of the last.
  int64_t updates() const override { return all_updates_ / static_cast<int64_t>(units_.size()); }
  bool between_updates() const override { return all_updates_ % static_cast<int64_t>(units_.size()) == 0; }

 private:
  // Blocks that are updated together.
  struct Unit {
    int64_t first_block, last_block;
    int64_t version = 0, iteration = 0;
    int64_t updates = 0;             // as the others', but while some of them have the next one
    std::vector<PushParts> parts;    // by worker
    std::vector<uint64_t> used;      // by worker: id of the last push that is in an update
    std::vector<uint64_t> left_out;  // by worker: id of the last push that was dropped
  };

  void take(const Push& push, std::size_t place) override;
  int64_t version_of(int64_t block) const override { return units_[unit_of(block)].version; }
  int64_t updates_of(int64_t block) const override { return units_[unit_of(block)].updates; }
  int64_t iterations() const override { return units_.front().iteration; }
  void set_iterations(int64_t iterations) override;
  std::vector<uint64_t> used() const override { return units_.front().used; }
  void set_used(int64_t version, const std::vector<uint64_t>& used) override;
  void on_join(int64_t worker) override;
  void on_pull(int64_t worker, uint64_t id, int64_t pass) override;
  void on_rest(int64_t worker, int64_t pass) override;
  void on_gone(int64_t worker, const std::string& why) override;

  std::size_t unit_of(int64_t block) const { return units_.size() == 1 ? 0 : static_cast<std::size_t>(block - first_); }
  bool counts(const Unit& unit) const { return &unit == &units_.front(); }
  // A whole gradient, which came too late.
  void drop(Unit& unit, int64_t worker);
  // Takes out what a worker has pushed of a gradient that was not used.
  void forget(Unit& unit, int64_t worker);
  // Gradients that an update waits for.
  int64_t needed() const;
  // False: gradients are missing.
  bool update_if_enough(Unit& unit);
  // Throws PeerError when the unit's update can never be made.
  void check_enough(const Unit& unit) const;
  void even_out_updates();
  void update(Unit& unit, const std::vector<int64_t>& in);
  // Into sum_.
  void add_up(const Unit& unit, const std::vector<int64_t>& in);

  std::vector<Unit> units_;
  std::vector<bool> gone_;  // by worker: joined once, and left
  // With backups: the newest pass that was begun, and by worker the last one that it gives nothing to any more.
  int64_t pass_ = 0;
  std::vector<int64_t> ended_;
  RangeGradient sum_;
  int64_t all_updates_ = 0;  // of all units together
};

}  // namespace tandem::servers
