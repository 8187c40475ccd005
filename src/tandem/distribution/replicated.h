#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <shared_mutex>
#include <utility>
#include <vector>

#include "tandem/comm/local_group.h"
#include "tandem/comm/processes.h"
#include "tandem/comm/rank_group.h"
#include "tandem/comm/turns.h"
#include "tandem/core/device_stream.h"
#include "tandem/distribution/execution.h"
#include "tandem/distribution/free_steps.h"
#include "tandem/distribution/host_part.h"
#include "tandem/distribution/rank_figures.h"
#include "tandem/distribution/rank_memory.h"
#include "tandem/distribution/replica.h"
#include "tandem/distribution/replica_step.h"
#include "tandem/distribution/replica_threads.h"
#include "tandem/distribution/row_receipt.h"
#include "tandem/distribution/row_shares.h"
#include "tandem/distribution/server_exchange.h"
#include "tandem/distribution/server_setup.h"
#include "tandem/layers/call_trace.h"
#include "tandem/network/placed_run.h"

namespace tandem::distribute {

/// How replicas work together.
struct Replication {
  Devices devices;  // of this process
  /// Each with as many devices, that make the steps together; null: this one does alone.
  std::shared_ptr<comm::Processes> processes = {};
  int64_t threads_per_device = 1;
  Shares shares = {};
  int64_t fixed_order = 0;    // logical shards of a batch; 0: one replica a device
  int64_t average_every = 0;  // updates from one averaging of the parameters to the next; 0: gradients are exchanged
  UpdatePlace where = UpdatePlace::everywhere;
  comm::Algorithm algorithm = comm::Algorithm::automatic;
  int64_t bucket_bytes = 1 << 20;
  int64_t zero_stage = 0;          // what the ranks divide among themselves (Sharding::stage)
  bool offload_optimizer = false;  // Sharding::offload_optimizer
  RankMemory memory = {};
  /// What runs the layers of a rank that are placed elsewhere; it must outlive the execution.
  std::function<PlacedRun*(int64_t rank)> placed = {};
  /// What runs layers once for all ranks; null where there are none.
  std::shared_ptr<HostPart> host = {};
  /// Does what it is given on a rank's own thread, which it may prepare; empty: nothing is prepared.
  std::function<void(int64_t rank, const std::function<void()>& work)> within = {};
  /// Who has the rest of the gradients of a replica's model; empty: nobody.
  std::function<GradientShards(const Replica&)> shards = {};
  /// Who makes the updates where `where` is servers; null where nothing is trained.
  std::shared_ptr<ServerSetup> servers = {};
  /// With servers: this process and others train each at its own pace, without `processes`; empty: it does alone.
  struct Place {
    int64_t own = 0, count = 1;
  };
  std::optional<Place> place = {};
};

/// Replicas as threads of this process, one or many, and maybe of others: what SingleDevice, Mirrored, DataParallel
/// and ParameterServer bind a program to. All on CPUs, or all on GPUs, where each works on a stream of its own and the
/// host waits for it only where it needs a number.
///
/// A rank is a replica with rows, gradients and statistics of its own: one a device, or, in fixed order, one a logical
/// shard. Ranks on one device compute with the same parameters in the same memory, and as many at a time as it has
/// threads. Ranks are numbered process by process; this one's are [first_, first_ + ranks()), and its replica r is rank
/// first_ + r.
class Replicated final : public Execution {
 public:
  Replicated(const Program& program, const Replication& how);
  ~Replicated() override;

  StepResult train_step(const data::Batch& batch, const TrainStep& train, const Observer& observer) override;
  void finish_update(double rate) override;
  std::vector<StepResult> finish_steps() override;
  bool out_of_step() const override { return free(); }
  int64_t parts_of_batch() const override { return how_.servers ? how_.servers->parts(workers()) : 1; }
  std::unique_lock<std::shared_mutex> hold_observers() override { return std::unique_lock(observers_); }
  StepResult test_step(const data::Batch& batch, const Observer& observer) override;
  Tensors predict_step(const data::Batch& batch) override;
  bool looks_ahead() const override { return on_gpus(); }
  void expect(const data::Batch& batch) override { expected_ = batch; }
  void synchronize() override;
  void load() override;
  void store() override;
  Peers* peers() override { return peers_.get(); }
  Crowd* crowd() override { return crowd_.get(); }
  void begin_pass(int64_t pass) override;
  data::DealBatch deal(bool in_parts) override;
  void end_pass(int64_t pass) override;
  bool servers_stop() const override;
  data::OwnRows own_rows() const override;
  void align() override;
  std::vector<int64_t> receipt(int64_t rows) override;
  void part(const std::string& reason) override;
  int64_t steps() const override { return steps_; }
  int64_t iterations() const override { return iterations_; }
  StateDict optimizer_state() override;
  void set_optimizer_state(const StateDict& state) override;
  bool state_is_spread() const override { return divided() && peers_; }
  void set_steps(int64_t steps) override;
  const Devices& devices() const override { return how_.devices; }
  int64_t ranks() const override { return static_cast<int64_t>(replicas_.size()); }
  std::vector<int64_t> division(int64_t rows) const override;
  std::vector<int64_t> rows_trained() const override;
  int64_t bytes_sent(int64_t device) const override;
  int64_t bytes_received(int64_t device) const override;
  DeviceMemory memory(int64_t device) const override;
  std::vector<int64_t> staleness() const override;
  ServerAverages server_averages() const override;
  std::vector<int64_t> dropped_rows() const override;
  TimeShares time_shares(int64_t device) const override;
  int64_t threads_per_device() const override { return how_.threads_per_device; }
  void record_trace(bool on) override;
  std::vector<TraceSpan> trace() const override;
  StepLedger ledger(int64_t rank) const override;
  std::optional<double> seconds_on_one_device(const data::Batch& batch) override;

 private:
  void make_replicas();
  bool on_gpus() const { return how_.devices[0].kind == Device::Kind::gpu; }
  // By rank, of all processes.
  std::vector<int64_t> division_by_rank(int64_t rows) const;
  int64_t world_size() const { return group_->world_size(); }
  comm::Communicator& communicator(int64_t r) { return group_->rank(first_ + r); }
  const comm::Communicator& communicator(int64_t r) const { return std::as_const(*group_).rank(first_ + r); }
  // Where each rank's rows begin in `batch`; one more entry than there are ranks in all processes.
  std::vector<int64_t> edges(const data::Batch& batch) const;
  // By replica: its rows of `batch`.
  std::vector<data::Batch> parts(const data::Batch& batch, const std::vector<int64_t>& edge) const;
  // Of one or of all processes: one's numbers by replica.
  std::vector<RankFigures> all_figures();
  std::vector<double> by_rank(std::vector<double> own);
  // All ranks' values of a statistic, one after the other.
  std::vector<Tensor> by_rank(const Weight& w);
  int64_t ranks_per_device() const { return ranks() / how_.devices.size(); }
  std::vector<uint32_t> master_versions() const;
  // Where ranks have the model in parts, in replicated_zero.cpp.
  bool divided() const { return how_.zero_stage > 0; }
  using ShardOf = std::function<Tensor&(Replica&)>;  // parameters, or a slot
  // Weight i of the shards of all ranks as one, laid out as the master; collective.
  Tensor whole(std::size_t i, const ShardOf& shard_of);
  // This process's parts of it.
  void spread(std::size_t i, const Tensor& whole, const ShardOf& shard_of);
  void store_shards();
  void state_of_shards(StateDict& state);
  void set_state_of_shards(const StateDict& state);
  // Some process was given the optimizer's state.
  void align_shards(bool first_was_given);
  // Before ranks run the network: how many rows each has.
  void begin_host_part(const std::vector<int64_t>& edge);
  void share_statistics(const std::vector<int64_t>& edge, int64_t from);
  // Where each trainable weight of the network lies in a slot of the optimizer, in elements.
  std::vector<int64_t> slot_offsets() const;
  // What rank `r` has of a weight, in host memory: its own tensor where that is there. For the caller's thread.
  Tensor on_host(std::size_t r, const Weight& w);
  void set_own(std::size_t r, const Weight& w, const Tensor& value);
  // The batch that was announced, and how it will be divided.
  struct Expected {
    data::Batch batch;
    std::vector<int64_t> edge;
    void send(std::size_t rank, Replica& replica) const {
      if (!edge.empty()) replica.rows.send_ahead(batch.slice(edge[rank], edge[rank + 1]));
    }
  };
  Expected take_expected();
  void average_statistics();
  void average_parameters();
  StepResult step(const data::Batch& batch, const SharedStep& shared);
  GradientExchange& exchange(int64_t r) const { return *replicas_[static_cast<std::size_t>(r)]->exchange; }
  // Seconds that a rank spent on what others wait for or send.
  double seconds_exchanging(int64_t rank) const;
  // With parameter servers, in replicated_served.cpp.
  bool free() const { return free_ != nullptr; }
  ServerExchange& served(std::size_t r) const { return dynamic_cast<ServerExchange&>(*replicas_[r]->exchange); }
  std::unique_ptr<GradientExchange> make_exchange(int64_t rank, Replica& replica, std::vector<GradientBucket> buckets,
                                                  bool wants_result);
  // Of all processes, and the first of this one.
  int64_t workers() const { return how_.place ? ranks() * how_.place->count : world_size(); }
  int64_t first_worker() const { return how_.place ? ranks() * how_.place->own : first_; }
  void average_statistics_of_crowd(int64_t pass);
  // Whether there may be some that look on, in other processes, and statistics that servers do not have; these are said
  // by worker 0.
  bool shown() const;
  void show_statistics();
  void load_servers(std::size_t r);
  // Of several hosts, each of which has a server of its own, in replicated_hosts.cpp.
  bool per_host() const { return how_.servers && how_.servers->per_host(); }
  // The first process's weights are those that all servers begin with.
  void take_first_weights();
  // All servers get the same parameters, while nobody trains; in sync replicas, too.
  void average_servers();
  void average_servers_in_step();
  // That a server of this process's replicas has begun.
  int64_t rounds_begun() const;
  // What each server of this process's replicas counted.
  std::vector<servers::ServerFigures> server_figures() const;
  void take_what_servers_saved();
  void abort_served(const std::string& reason);
  StepResult give_step(const data::Batch& batch, const TrainStep& train, const Observer& observer);
  // What replicas are given of it.
  std::vector<data::Batch> cut(const data::Batch& batch);
  // Returns when the steps that were given have ended, and with them the round.
  void end_steps();
  StepResult make_free_step(int64_t rank, const FreeStep& step);
  // Ends the steps that are being made, and brings what the servers know to all replicas.
  void settle();
  // Sets the masters of the tables to what servers have, where they may have other values.
  void bring_tables();
  void read_state_of_servers();
  void write_state_to_servers();
  // After an update: forgets the group of steps that it was for.
  void end_group();
  void forget_group();
  // Seconds that each device of this process computed so far.
  std::vector<double> computed_by_device() const;
  // After a step that was divided at `edge`.
  void observe_speeds(const std::vector<double>& before, const std::vector<int64_t>& edge);
  // Calls `work` on every replica's thread.
  void run(const std::function<void(int64_t rank, Replica&)>& work);

  Program program_;
  Replication how_;
  RowShares shares_;
  std::vector<std::shared_ptr<comm::Turns>> turns_;  // by replica; empty: each has a device of its own
  std::vector<DeviceStream> streams_;                // by replica
  std::unique_ptr<Peers> peers_;                     // null: alone
  std::unique_ptr<comm::RankGroup> group_;
  const int64_t first_;
  Replica::Weights weights_;
  std::vector<Weight> statistics_;  // not trainable by nature: moving averages, which differ by replica
  std::vector<std::unique_ptr<Replica>> replicas_;
  std::vector<CallTrace> traces_;  // by rank, once they have been asked for
  std::vector<Weight> masters_;
  std::vector<uint32_t> loaded_versions_;  // of the masters, when replicas and they were last the same
  int64_t steps_ = 0, iterations_ = 0;
  int64_t group_rows_ = 0;          // of steps that have not made their update yet
  int64_t updates_ = 0;             // that the last step made: on each rank that had rows as many
  int64_t updates_apart_ = 0;       // since parameters were last averaged
  bool given_weights_ = true;       // masters were set since processes were last the same
  bool given_state_ = false;        // the optimizer's state was
  bool parted_ = false;             // from the other processes, for good
  std::optional<StateDict> given_;  // the optimizer's state, until processes are the same
  RowReceipt receipt_;
  Peers::Topic figures_topic_, numbers_topic_, align_topic_, receipt_topic_, outputs_topic_;
  bool tables_ahead_ = false;  // servers may have others than the masters
  bool ahead_ = false;         // replicas have learned what the masters do not know yet
  data::Batch expected_;       // by the step after the next
  // Of replicas that do not wait for one another:
  std::vector<std::unique_ptr<comm::LocalGroup>> alone_;  // each one's world
  std::shared_mutex observers_;                           // shared by those that call one
  bool unsettled_ = false;                                // steps were given since settle
  // With backup workers servers know by its number which steps are given before all replicas have ended theirs: a pass,
  // where it is known, else all until end_steps.
  int64_t round_ = 0;
  bool round_ended_ = true;
  bool resumed_ = false;                       // from what servers had saved
  int64_t updates_before_ = 0;                 // that the servers had counted at settle
  std::unique_ptr<Crowd> crowd_;               // null: none but this process
  std::unique_ptr<servers::DeskClient> desk_;  // of worker 0 without a crowd, to those that look on
  ReplicaThreads threads_;                     // its threads end before what they use
  std::unique_ptr<FreeSteps> free_;            // last; null: they wait for one another
};

}  // namespace tandem::distribute
