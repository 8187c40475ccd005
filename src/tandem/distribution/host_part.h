#pragma once
#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "tandem/core/device.h"
#include "tandem/distribution/device_threads.h"
#include "tandem/distribution/host_call.h"
#include "tandem/distribution/host_meeting.h"
#include "tandem/distribution/placed_weights.h"
#include "tandem/layers/call_trace.h"
#include "tandem/layers/kept_states.h"
#include "tandem/network/network.h"
#include "tandem/network/placed_run.h"

namespace tandem::distribute {

/// The device whose scopes mark layers of a replicated model that are to run once, in host memory, on the rows of all
/// replicas together: a CPU device that a proper part of the layers is placed on, where the others have no scope or a
/// GPU's. Nothing where there is none: no CPU scope, one that covers the whole model, or several, which divide a model
/// over devices and say nothing to a strategy with devices of its own. Only of graphs and Sequentials.
std::optional<Device> host_scope(const Network& network);

/// Runs those layers. Each replica computes its own layers with its rows; what they give to layers on the host is
/// merged in the order of ranks, computed there once, forward and backward, with all cores, and each replica goes on
/// with its rows. The gradients of the host's weights go to the first replica that has rows. From GPUs values, the
/// host's weights after each update, and gradients are copied, and their streams waited for.
class HostPart {
 public:
  HostPart(const Network& network, const Device& host, int64_t ranks);

  PlacedRun* of(int64_t rank) { return &ranks_[static_cast<std::size_t>(rank)]; }
  /// Before replicas run: how many rows each has in what follows.
  void begin(const std::vector<int64_t>& rows);
  /// A replica has failed: the others must not wait for it.
  void abort(const std::string& reason) { meeting_.abort(reason); }

  void record_trace(bool on);
  std::vector<TraceSpan> trace() const;
  /// True for the weights of layers that run on the host.
  bool computes(const Weight& weight) const;
  /// Bytes that a rank gave to the host and took from it.
  int64_t bytes_moved(int64_t rank) const { return ranks_[static_cast<std::size_t>(rank)].bytes; }

  /// One replica's side.
  class Rank final : public PlacedRun {
   public:
    Rank(HostPart& part, std::size_t rank) : part_(part), rank_(rank) {}
    Tensors run(const Graph& graph, const Tensors& inputs, const CallContext& context) override;
    std::vector<Tensor> forward(const Segment& segment, const std::vector<std::size_t>& wanted,
                                std::vector<Tensor> given, const CallContext& context, bool differentiable);
    /// Gradients of the trained weights, on the first rank with rows alone, and of what was given.
    std::vector<Tensor> backward(const c10::intrusive_ptr<HostCall>& call, std::vector<Tensor> gradients);
    const c10::intrusive_ptr<HostCall>& last_call() const { return call_; }

    std::atomic<int64_t> bytes = 0;

   private:
    friend class HostPart;
    struct Known {
      std::weak_ptr<const Layer> graph;
      DividedGraph divided;
    };
    const DividedGraph& divided(const Graph& graph);
    bool leads() const { return part_.leader_ == rank_; }
    void run_host(const DividedGraph& divided, const Segment& segment, std::vector<Tensor>& values,
                  const CallContext& context);

    HostPart& part_;
    const std::size_t rank_;
    std::unordered_map<const Graph*, Known> known_;
    c10::Device device_ = c10::kCPU;      // the replica's
    std::vector<Tensor> offered_;         // to the meeting in progress
    const WeightMap* weights_ = nullptr;  // of the step in progress
    std::vector<Tensor> trained_;         // among them
    c10::intrusive_ptr<HostCall> call_;   // of the last meeting forward
  };

 private:
  void on_host(const std::function<void()>& work);
  void share_statistics(const Segment& segment);
  std::vector<std::vector<Tensor>> offers() const;

  const Device host_;
  HostMeeting meeting_;
  const std::vector<Weight> all_weights_;
  std::vector<Weight> own_weights_;  // of the layers on the host
  PlacedWeights weights_;            // the leader's
  std::deque<Rank> ranks_;
  std::vector<int64_t> rows_;
  std::size_t leader_ = 0;  // the first rank with rows
  KeptStates states_;       // of stateful layers on the host
  std::optional<CallTrace> trace_;
  bool tracing_ = false;
  DeviceThreads thread_;  // last: it ends before what it uses
};

}  // namespace tandem::distribute
