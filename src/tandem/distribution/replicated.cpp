#include "tandem/distribution/replicated.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <c10/util/StringUtil.h>

#include <unordered_map>

#include "tandem/core/error.h"
#include "tandem/data/divide_rows.h"
#include "tandem/distribution/replica_step.h"
#include "tandem/kernels/cpu_allocator.h"

namespace tandem::distribute {
namespace {

// Weights that share memory (tied parameters of a LibTorch module) would be trained apart in each replica.
void check_apart(const std::vector<Weight>& weights, const Network& network) {
  std::unordered_map<const void*, const Weight*> places;
  for (const auto& w : weights) {
    const Tensor& value = w.variable().value;
    if (value.numel() == 0) continue;
    const auto [found, is_new] = places.emplace(value.const_data_ptr(), &w);
    if (is_new) continue;
    throw InvalidArgument(c10::str("model '", network.name(), "': weights '", found->second->name(), "' and '",
                                   w.name(), "' share their memory; tied weights must be one weight"));
  }
}

}  // namespace

Replicated::Replicated(const Program& program, const Devices& devices, int64_t threads_per_device)
    : program_(program), devices_(devices), group_(devices.size()), threads_(devices.size(), threads_per_device) {
  for (const auto& device : devices_) {
    if (device.kind != Device::Kind::cpu) {
      throw InvalidArgument(c10::str("device ", device.to_string(),
                                     ": replicas compute on CPU devices only so far; use cpu:0, cpu:1, ..."));
    }
  }
  kernels::install_cpu_allocator();
  if (program_.optimizer && !program_.optimizer->elementwise()) {
    throw InvalidArgument(c10::str("optimizer ", program_.optimizer->class_name(),
                                   ": must update element by element under this strategy"));
  }
  masters_ = program_.network->weights();
  check_apart(masters_, *program_.network);
  const auto fixed = program_.network->non_trainable_weights();
  for (const auto& w : fixed) {
    if (!w.trainable()) statistics_.push_back(w);
  }
  replicas_.resize(static_cast<std::size_t>(devices_.size()));
  // Each replica's memory is first touched by the thread that will use it.
  threads_.run([&](int64_t rank) {
    auto replica = std::make_unique<Replica>(program_, fixed);
    replicas_[static_cast<std::size_t>(rank)] = std::move(replica);
  });
  load();
}

Replicated::~Replicated() = default;

std::vector<int64_t> Replicated::division(int64_t rows) const { return data::divide_rows(rows, devices_.size()); }

std::vector<int64_t> Replicated::edges(const data::Batch& batch) const {
  const auto& counts = batch.division.empty() ? division(batch.rows()) : batch.division;
  std::vector<int64_t> edges{0};
  for (int64_t count : counts) edges.push_back(edges.back() + count);
  if (static_cast<int64_t>(counts.size()) != devices_.size() || edges.back() != batch.rows()) {
    throw InvalidArgument(c10::str("fit: data by device must have a part for each of the ", devices_.size(),
                                   " devices, got ", counts.size()));
  }
  return edges;
}

void Replicated::run(const std::function<void(int64_t, Replica&)>& work) {
  bool broken = false;
  try {
    threads_.run([&](int64_t rank) { work(rank, *replicas_[static_cast<std::size_t>(rank)]); },
                 [&](const std::string& message) {
                   broken = true;
                   group_.abort(c10::str("another replica failed first: ", message));
                 });
  } catch (...) {
    if (broken) group_.reset();
    throw;
  }
}

StepResult Replicated::step(const data::Batch& batch, const SharedStep& shared) {
  const auto edge = edges(batch);
  SharedStep own = shared;
  own.rows = batch.rows();
  for (int64_t r = devices_.size() - 1; r >= 0; --r) {
    if (edge[static_cast<std::size_t>(r)] == edge[static_cast<std::size_t>(r) + 1]) continue;
    ++own.active_ranks;
    own.first_active = r;
  }
  run([&](int64_t rank, Replica& replica) {
    const auto r = static_cast<std::size_t>(rank);
    ReplicaStep(program_, replica, group_.rank(rank), own, batch.slice(edge[r], edge[r + 1]), edge[r]).run();
  });
  StepResult result;
  result.rows = own.rows;
  for (const auto& replica : replicas_) {
    result.loss += replica->loss;
    if (result.outputs.size() < replica->parts.size()) result.outputs.resize(replica->parts.size());
    for (std::size_t i = 0; i < replica->parts.size(); ++i) result.outputs[i] += replica->parts[i];
    for (const auto& [name, value] : replica->reported) result.reported[name] += value;
  }
  return result;
}

StepResult Replicated::train_step(const data::Batch& batch, const RandomStream& random, double rate,
                                  const Observer& observer) {
  ahead_ = true;
  const auto result =
      step(batch, {.training = true, .random = random, .iteration = iterations_, .rate = rate, .observer = observer});
  ++steps_;
  iterations_ += replicas_.front()->updates;
  return result;
}

StepResult Replicated::test_step(const data::Batch& batch, const Observer& observer) {
  return step(batch, {.observer = observer});
}

Tensors Replicated::predict_step(const Tensors& x) {
  const data::Batch batch{x, {}, {}};
  const auto edge = edges(batch);
  run([&](int64_t rank, Replica& replica) {
    const auto r = static_cast<std::size_t>(rank);
    c10::NoGradGuard no_grad;
    replica.outputs = {};
    if (edge[r] == edge[r + 1]) return;
    const Tensors inputs = program_.network->as_inputs(batch.slice(edge[r], edge[r + 1]).x);
    const WeightScope weights(replica.map);
    const CallContext context{.first_row = edge[r]};
    const CallScope scope(context);
    replica.outputs = program_.network->outputs(inputs, context);
  });
  Tensors merged;
  for (int64_t i = 0; i < replicas_.front()->outputs.size(); ++i) {
    std::vector<Tensor> pieces;
    for (const auto& replica : replicas_) {
      if (!replica->outputs.empty()) pieces.push_back(replica->outputs[i]);
    }
    merged.push_back(pieces.size() == 1 ? pieces.front() : at::cat(pieces));
  }
  for (auto& replica : replicas_) replica->outputs = {};
  return merged;
}

// LibTorch counts the changes in place of each tensor.
std::vector<uint32_t> Replicated::master_versions() const {
  std::vector<uint32_t> versions;
  versions.reserve(masters_.size());
  for (const auto& w : masters_) versions.push_back(w.variable().value._version());
  return versions;
}

void Replicated::load() {
  if (!ahead_ && loaded_versions_ == master_versions()) return;
  ahead_ = false;
  run([&](int64_t, Replica& replica) {
    c10::NoGradGuard no_grad;
    replica.trainable.load();
    for (const auto& w : replica.fixed) replica.own(w).copy_(w.variable().value);
    replica.rows_since_store = 0;
  });
  loaded_versions_ = master_versions();
}

void Replicated::store() {
  // The masters may belong to others too (a parallel model's template): what is not newer must not replace theirs.
  if (!ahead_) return;
  ahead_ = false;
  c10::NoGradGuard no_grad;
  replicas_.front()->trainable.store();
  average_statistics();
  loaded_versions_ = master_versions();
}

void Replicated::average_statistics() {
  int64_t rows = 0;
  for (const auto& replica : replicas_) rows += replica->rows_since_store;
  if (rows == 0) return;
  for (const auto& w : statistics_) {
    Tensor& mean = replicas_.front()->own(w);
    if (!mean.is_floating_point()) {  // a count of steps, say: every replica counts alike
      w.variable().value.copy_(mean);
      continue;
    }
    // As first + sum of weighted differences: statistics that are equal everywhere stay the same bits.
    const Tensor first = mean.clone();
    for (std::size_t r = 1; r < replicas_.size(); ++r) {
      const double share = static_cast<double>(replicas_[r]->rows_since_store) / static_cast<double>(rows);
      mean.add_(replicas_[r]->own(w) - first, share);
    }
    for (std::size_t r = 1; r < replicas_.size(); ++r) replicas_[r]->own(w).copy_(mean);
    w.variable().value.copy_(mean);
  }
  for (auto& replica : replicas_) replica->rows_since_store = 0;
}

StateDict Replicated::optimizer_state() {
  StateDict state;
  state.set("iterations", iterations_);
  state.set("steps", steps_);
  if (!program_.optimizer) return state;
  const auto names = program_.optimizer->slots();
  auto& replica = *replicas_.front();
  for (std::size_t s = 0; s < names.size(); ++s) {
    for (std::size_t i = 0; i < replica.trainable.weights().size(); ++i) {
      state.set(c10::str(names[s], "/", i),
                replica.trainable.view(replica.slots[s], i).clone(at::MemoryFormat::Contiguous));
    }
  }
  return state;
}

void Replicated::set_optimizer_state(const StateDict& state) {
  iterations_ = state.integer("iterations");
  steps_ = state.contains("steps") ? state.integer("steps") : iterations_;
  const auto names = program_.optimizer->slots();
  for (auto& replica : replicas_) {
    for (std::size_t s = 0; s < names.size(); ++s) {
      for (std::size_t i = 0; i < replica->trainable.weights().size(); ++i) {
        replica->trainable.view(replica->slots[s], i).copy_(state.tensor(c10::str(names[s], "/", i)));
      }
    }
  }
}

std::vector<int64_t> Replicated::rows_trained() const {
  std::vector<int64_t> rows;
  for (const auto& replica : replicas_) rows.push_back(replica->rows_trained);
  return rows;
}

int64_t Replicated::bytes_sent(int64_t rank) const {
  return const_cast<comm::LocalGroup&>(group_).rank(rank).bytes_sent();
}

TimeShares Replicated::time_shares(int64_t rank) const {
  const auto& communicator = const_cast<comm::LocalGroup&>(group_).rank(rank);
  return {replicas_.at(static_cast<std::size_t>(rank))->computing, communicator.seconds_moving(),
          communicator.seconds_waiting()};
}

}  // namespace tandem::distribute
