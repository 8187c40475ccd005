#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "tandem/data/batch.h"
#include "tandem/distribution/execution.h"
#include "tandem/distribution/micro_batches.h"
#include "tandem/distribution/pipeline_plan.h"
#include "tandem/distribution/pipeline_rank.h"
#include "tandem/distribution/replica.h"
#include "tandem/distribution/stage_gradients.h"
#include "tandem/distribution/stage_link.h"
#include "tandem/layers/batch_statistics.h"
#include "tandem/layers/call_context.h"

namespace tandem::distribute {

/// One step as all stages of a pipeline make it.
struct PipelineStep {
  RandomStream random = {};
  int64_t iteration = 0;
  double rate = 0;
  bool begins_group = true, ends_group = true;  // of steps that make one update
  int64_t group_rows = 0;                       // of the group, this step's included
  std::vector<int64_t> rows = {};               // of the batch, by replica

  /// Gradients are sums over rows, which the update divides.
  bool grouped() const { return !begins_group || !ends_group; }
};

/// A stage of a pipeline: its parts of the model with their weights and optimizer state, and the list of instructions
/// that makes a step of them. Used by one thread; the others are reached through `ways`. `shown_as`: the rank that an
/// Observer sees.
class PipelineStage {
 public:
  PipelineStage(const Program& program, const PipelinePlan& plan, PipelineRank& ways, const PipelineSettings& settings,
                int64_t shown_as);

  /// Forward, loss, backward and update of a replica's rows of a batch, maybe none, which all its stages are given.
  /// `observer` is called by the last one.
  void train(const data::Batch& rows, const PipelineStep& step, const Observer& observer);
  /// Forward; with loss and metrics where `observer` is not null. The last stage has the outputs afterwards.
  /// `rows_by_replica`: of the whole batch.
  void compute(const data::Batch& rows, const std::vector<int64_t>& rows_by_replica, const Observer* observer);
  /// The update of a group that has ended without another step.
  void finish_group(const PipelineStep& step);

  /// Values between the masters and this stage. `writes`: of the masters' weights, those that no stage before has.
  /// Collective over the replicas where they divide parameters.
  void load();
  void store(bool writes);
  /// Slot `slot` of weight i of this stage, as files have it: valid until the next update. Collective over the replicas
  /// where they divide the optimizer's state.
  Tensor slot(std::size_t slot, std::size_t i) const;
  void take_slot(std::size_t slot, std::size_t i, const Tensor& value);

  Replica& replica() { return replica_; }
  const Replica& replica() const { return replica_; }
  /// Of the last step, this stage's parts of the means over the batch.
  double loss() const { return loss_; }
  const std::vector<double>& losses_by_output() const { return by_output_; }
  const std::map<std::string, double>& reported() const { return reported_; }
  Tensors take_outputs();
  const PipelineRank& ways() const { return ways_; }
  double seconds_computing() const { return computing_; }
  /// Of what replicas added up last; null where there is one.
  const StepLedger* ledger() const { return exchange_ ? &exchange_->ledger() : nullptr; }
  /// What a step that failed has left.
  void forget();

 private:
  struct Run {                    // of one part on one micro batch, from its forward to its backward
    std::vector<Tensor> given;    // what it reads; with `leaves` the same memory
    std::vector<Tensor> leaves;   // in place of that, for autograd
    std::vector<Tensor> written;  // with its history, by write
    Tensor loss;                  // of the last part
    LogitsRecord logits;
    AddedLosses losses;
  };
  struct Pass {  // what a step's calls share
    bool training = false;
    RandomStream random = {};
    double factor = 1;  // of the loss where gradients begin
    const Observer* observer = nullptr;
  };

  // That this stage spent with others.
  double seconds_away() const { return ways_.seconds_waiting() + ways_.seconds_moving(); }
  bool has_last() const { return stage_ + 1 == plan_.division.stages; }
  bool is_last(std::size_t part) const { return part + 1 == plan_.cut.segments.size(); }
  bool is_mine(std::size_t part) const { return part < plan_.cut.segments.size() && plan_.stage_of(part) == stage_; }
  std::size_t part_of(int64_t chunk) const { return static_cast<std::size_t>(chunk * plan_.division.stages + stage_); }
  int64_t tag_of(std::size_t number, std::size_t reader, int64_t micro_batch, bool gradient) const;

  void begin(const data::Batch& batch, const std::vector<int64_t>& rows_by_replica);
  void make(const schedule::Instruction& line, const Pass& pass, const PipelineStep& step);
  // A line that other replicas have rows for, and this one none.
  void follow(const schedule::Instruction& line);
  // How many replicas have rows of a micro batch.
  int64_t computing(int64_t micro_batch) const;
  // Does `work`, the computing of a part, while its weights come and go.
  void with_weights(int64_t micro_batch, const std::function<void()>& work);
  void receive_activations(std::size_t part, int64_t m);
  void forward(const Pass& pass, std::size_t part, int64_t m);
  // Fills `run` from what the part was given. `again`: for backward, after a forward that kept nothing.
  void run_part(const Pass& pass, std::size_t part, int64_t m, Run& run, bool differentiable, bool again);
  void send_activations(std::size_t part, int64_t m);
  void receive_gradients(std::size_t part, int64_t m);
  void backward(const Pass& pass, std::size_t part, int64_t m);
  void send_gradients(std::size_t part, int64_t m);
  // Outputs, loss and metrics.
  void end_of_model(const Pass& pass, int64_t m, Run& run);
  Tensor take_loss(const LossSet::Sums& sums, const std::vector<double>& counts);
  // Of all micro batches and replicas, once all are counted.
  void settle_counts();
  void add_penalty(const Pass& pass);
  void add_up_tied();
  bool has_all_gradients() const { return plan_.division.stages == 1 && !shards_.sum_by_weight; }
  // Moves averages by all replicas' rows, `rows` of each.
  void apply_statistics(const std::vector<int64_t>& rows);
  const Tensor& input_for(std::size_t number, int64_t m) const;

  const Program& program_;
  const PipelinePlan& plan_;
  const int64_t stage_;
  const schedule::Instructions list_;  // of a training step
  PipelineRank& ways_;
  const int64_t shown_as_;
  StageLink link_;
  Replica replica_;
  std::unique_ptr<StageGradients> exchange_;  // where there are replicas
  struct Tied {                               // a weight of this stage that others have, too
    std::size_t weight;                       // in replica_.trainable
    int64_t tag;                              // the same on all of them
    std::vector<int64_t> stages;              // the first one adds up
  };
  std::vector<Tied> tied_;
  std::vector<Weight> penalised_;  // that this rank counts
  double penalty_share_ = 1;       // of which its replicas each take so much
  std::vector<Weight> moving_;     // not trainable by nature: averages
  GradientShards shards_;          // over the stages, and over those who have parts of this stage's weights
  BatchStatistics statistics_;

  MicroBatches micro_;
  std::vector<int64_t> rows_by_replica_;
  std::map<std::pair<std::size_t, int64_t>, Run> runs_;
  // Values and gradients that came, or stayed on this stage: (number, reading part, micro batch).
  using Key = std::tuple<std::size_t, std::size_t, int64_t>;
  std::map<Key, StageLink::Value> values_;
  std::map<Key, Tensor> gradients_;

  // Where counts come late: by output; and each micro batch's sums until its loss is taken.
  std::vector<double> counts_;
  bool counts_settled_ = false;
  std::map<int64_t, LossSet::Sums> sums_;

  double loss_ = 0, computing_ = 0;
  std::vector<double> by_output_;
  std::map<std::string, double> reported_;
  std::vector<Tensors> outputs_by_micro_batch_;  // of the last stage
};

}  // namespace tandem::distribute
