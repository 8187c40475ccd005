#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tandem/servers/parameter_range.h"
#include "tandem/servers/push_parts.h"
#include "tandem/servers/range_snapshot.h"
#include "tandem/servers/server_figures.h"
#include "tandem/servers/server_message.h"
#include "tandem/servers/shared_blocks.h"

namespace tandem::servers {

/// A block's parameters for a worker, or, of kind rows, some rows of a table's block.
struct BlockAnswer {
  Kind kind = Kind::params;
  uint64_t id = 0;  // of the push or pull that it answers
  int64_t block = 0;
  int64_t version = 0;
  Outcome outcome = Outcome::applied;
  int64_t staleness = 0;
  Tensor parameters = {};  // (n,); shared, not to be changed. Of a table's block only where it was asked for rows
};

/// What a server does, without network and threads: its range of the parameters, which pushes change by the rule of
/// the plan's mode. Answers go to a function. To be used by one thread.
class ParameterTable {
 public:
  using Send = std::function<void(int64_t worker, const BlockAnswer& answer)>;

  static std::unique_ptr<ParameterTable> make(const ServerPlan& plan, int64_t server, Send send);
  virtual ~ParameterTable() = default;
  ParameterTable(const ParameterTable&) = delete;
  ParameterTable& operator=(const ParameterTable&) = delete;

  /// Sets the parameters of a block (n,).
  void begin(int64_t block, const Tensor& values);
  /// A worker takes part; its pushes count from 1 again.
  void join(int64_t worker);
  /// Likewise, with pushes that go on counting: a worker that was there when the snapshot was made from which this
  /// table began, and has not noticed that. `given`: its place in RangeSnapshot::given.
  void rejoin(int64_t worker, int64_t given = -1);
  /// Throws DataError on a push that cannot be: of a worker that has not joined, of a block that is not here, of
  /// another size, or made of parameters that it was not given; PeerError, naming the worker, when the others' part
  /// can no longer come.
  void push(const Push& push);
  /// Answers with all blocks, and this id. `pass`, from 1: the worker will push gradients of it; 0: of none that has a
  /// number.
  void pull(int64_t worker, uint64_t id = 0, int64_t pass = 0);
  /// Answers with these rows (m,), int64, of a table's block, counted from its first; undefined: all of them. They are
  /// as they are, and no older than what the worker was given last; its staleness counts from that.
  void read_rows(int64_t worker, uint64_t id, int64_t block, const Tensor& rows);
  /// Of all blocks, (n,) each; shared, not to be changed.
  std::vector<Tensor> copies();
  /// The worker computes no gradient until it pulls again, and none of this pass or one before, unless it is 0.
  void rest(int64_t worker, int64_t pass = 0);
  /// The worker is done. lost: it went without saying so. In sync both throw PeerError, naming it, when others wait for
  /// it, and lost does in any case.
  void leave(int64_t worker);
  void lost(int64_t worker, const std::string& why);

  /// Whom pushes wait for: "workers 1, 2"; empty: nobody waits.
  virtual std::string waiting_for() const = 0;
  RangeState state() const;
  void set_state(const RangeState& state);
  /// Updates made; nothing while some blocks are ahead of others.
  virtual std::optional<int64_t> version() const = 0;
  /// A copy of all that training goes on from, at a moment that has a version. Plan and names are left to be filled in.
  /// `spare`: an older one, whose memory is used again.
  RangeSnapshot snapshot(RangeSnapshot spare = {}) const;
  /// To be called first. Throws DataError where it is none of this optimizer's.
  void restore(const RangeSnapshot& snapshot);
  const ServerFigures& figures() const { return figures_; }
  const Tensor& parameters() const { return range_.parameters(); }

  /// No block is ahead of others: none is in the midst of an update.
  virtual bool between_updates() const = 0;
  /// Workers are here, or were lost, and none of them computes a gradient.
  bool idle() const;
  /// Updates that all blocks have, at any moment; of a step that was given up by half all count as updated.
  virtual int64_t updates() const = 0;
  /// Answers with parameters of so many updates or more wait until hold_from allows them.
  void hold_from(int64_t updates);
  /// To be called when somebody else has written into parameters(); no update, and no version, is made of it.
  void written();
  int64_t buffers() const { return shared_.buffers(); }

 protected:
  ParameterTable(const ServerPlan& plan, int64_t server, Send send);

  virtual void take(const Push& push, std::size_t place) = 0;
  virtual int64_t version_of(int64_t block) const = 0;
  virtual int64_t updates_of(int64_t block) const = 0;
  virtual int64_t iterations() const = 0;
  virtual void set_iterations(int64_t iterations) = 0;
  /// By worker: id of the last push that is in.
  virtual std::vector<uint64_t> used() const = 0;
  virtual void set_used(int64_t version, const std::vector<uint64_t>& used) = 0;
  /// As RangeSnapshot says.
  virtual std::vector<int64_t> given() const { return std::vector<int64_t>(doing_.size(), -1); }
  virtual void on_join(int64_t /*worker*/) {}
  virtual void on_rejoin(int64_t /*worker*/, int64_t /*given*/) {}
  virtual void on_pull(int64_t /*worker*/, uint64_t /*id*/, int64_t /*pass*/) {}
  virtual void on_rest(int64_t /*worker*/, int64_t /*pass*/) {}
  /// `why`: empty when it left.
  virtual void on_gone(int64_t worker, const std::string& why) = 0;

  void answer(int64_t worker, uint64_t id, int64_t block, Outcome outcome, int64_t staleness = 0);
  void changed(int64_t block) { shared_.forget(block - first_); }
  bool is_here(int64_t worker) const { return doing(worker) >= Doing::resting; }
  /// Where a block lies in the range, in elements.
  int64_t begin_of(int64_t block) const { return plan_.block_begin(block) - plan_.block_begin(first_); }

  const ServerPlan plan_;
  const int64_t first_, last_;  // blocks
  ParameterRange range_;
  ServerFigures figures_;

 private:
  enum class Doing : uint8_t { away, lost, resting, working };
  Doing doing(int64_t worker) const { return doing_[static_cast<std::size_t>(worker)]; }
  void does(int64_t worker, Doing what) { doing_[static_cast<std::size_t>(worker)] = what; }
  void check_worker(int64_t worker) const;
  void come(int64_t worker);

  struct Waiting {
    int64_t worker;
    uint64_t id;
    int64_t block;
    Outcome outcome;
    int64_t staleness;
  };

  Send send_;
  SharedBlocks shared_;
  std::vector<Doing> doing_;  // by worker
  int64_t hold_from_ = INT64_MAX;
  std::vector<Waiting> waiting_;
};

}  // namespace tandem::servers
