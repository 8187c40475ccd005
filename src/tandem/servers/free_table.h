#pragma once
#include <optional>

#include "tandem/servers/parameter_table.h"

namespace tandem::servers {

/// Modes async and stale: a worker's gradient is applied when all its blocks are in, and nobody waits for others.
///
/// stale: a gradient's staleness is the number of updates since its parameters were handed out, and must not pass the
/// bound. So an update is made only when it leaves every worker that still computes within it; else the gradient is
/// held, and the next update that may be made is by the mean of all that are held, weighted by rows, as if their
/// batches had been one. Their workers go on at once with the parameters as they are. With a bound of 0 they wait for
/// the others instead: somebody would always compute, and no update be made.
class FreeTable final : public ParameterTable {
 public:
  FreeTable(const ServerPlan& plan, int64_t server, Send send);

  std::string waiting_for() const override;
  std::optional<int64_t> version() const override { return version_; }
  int64_t updates() const override { return version_; }
  bool between_updates() const override { return true; }

 private:
  void take(const Push& push, std::size_t place) override;
  int64_t version_of(int64_t /*block*/) const override { return version_; }
  int64_t updates_of(int64_t /*block*/) const override { return version_; }
  int64_t iterations() const override { return iteration_; }
  void set_iterations(int64_t iterations) override { iteration_ = iterations; }
  std::vector<uint64_t> used() const override;
  std::vector<int64_t> given() const override;
  void set_used(int64_t version, const std::vector<uint64_t>& used) override;
  void on_join(int64_t worker) override;
  void on_rejoin(int64_t worker, int64_t given) override;
  void on_pull(int64_t worker, uint64_t id, int64_t pass) override;
  void on_rest(int64_t worker, int64_t pass) override;
  void on_gone(int64_t worker, const std::string& why) override;

  struct Worker {
    PushParts parts;
    uint64_t used = 0;    // id of the last push that is in
    uint64_t pulled = 0;  // id of its last pull
    // The oldest version that any block has of the parameters of which it computes a gradient. Answers that were lost
    // are made up for by newer ones.
    std::optional<int64_t> given = {};
    // Where it came back to a table that began from a snapshot: it has parameters of no later version, unless what was
    // made of these is lost.
    std::optional<int64_t> kept = {};
  };
  Worker& worker(int64_t number) { return workers_[static_cast<std::size_t>(number)]; }

  bool waits() const { return plan_.mode == ServerMode::stale && plan_.staleness == 0; }
  bool may_update() const;
  void check_version(Worker& from, const Push& push);
  void answer_all_blocks(int64_t worker, uint64_t id, Outcome outcome, int64_t staleness);
  void answer_waiting();
  // By one gradient, straight from its blocks where they need not be changed and lie as in the range.
  void apply(const PushParts& parts);
  bool update_by(const RangeGradient& gradient, double rate);
  void hold(const PushParts& parts);
  void apply_held();
  void look_again();
  void has_updated(bool counts);

  std::vector<Worker> workers_;
  std::vector<std::pair<int64_t, uint64_t>> waiting_;  // workers, and ids of their pushes that are held
  int64_t version_ = 0, iteration_ = 0;
  RangeGradient gradient_;  // that is applied, or the sum of rows x gradient of those that are held
  struct {
    std::vector<RowGradient> rows = {};  // by block of a table, until it is applied
    int64_t batch_rows = 0;
    double rate = -1;
    std::vector<int64_t> versions;
  } held_;
};

}  // namespace tandem::servers
