#include "tandem/distribution/replicated.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <c10/util/StringUtil.h>

#include <chrono>

#include "tandem/core/error.h"
#include "tandem/kernels/cpu_allocator.h"

namespace tandem::distribute {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// The network's outputs for `x`, each with a row for every row of x.
Tensors call(Network& network, const Tensors& x, const CallContext& context) {
  Tensors outputs = network.call_many(x, context);
  const int64_t rows = x.front().size(0);
  for (int64_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i].defined() && outputs[i].dim() > 0 && outputs[i].size(0) == rows) continue;
    const auto got = outputs[i].defined() ? Shape::of(outputs[i].sizes().vec()).to_string() : std::string("no tensor");
    throw InvalidArgument(c10::str("model '", network.name(), "': output ", i, " must have ", rows,
                                   " rows, as its input has, got ", got));
  }
  return outputs;
}

}  // namespace

// What one replica owns. Only its own thread touches it while a step runs.
struct Replicated::Replica {
  Replica(const Program& program, const std::vector<Weight>& others)
      : trainable(program.network->trainable_weights()), fixed(others) {
    trainable.add_to(map);
    for (const auto& w : fixed) {
      const Tensor& master = w.variable().value;
      map[&w.variable()] = at::empty_strided(master.sizes(), master.strides(), master.options());
    }
    if (!program.optimizer) return;
    const auto names = program.optimizer->slots();
    for (std::size_t i = 0; i < names.size(); ++i) {
      slots.push_back(at::full_like(trainable.parameters(), program.optimizer->initial_slot(i)));
    }
  }

  Tensor& own(const Weight& w) { return map.at(&w.variable()); }

  FlatWeights trainable;
  std::vector<Weight> fixed;  // statistics and frozen weights
  WeightMap map;
  std::vector<Tensor> slots;
  int64_t rows_trained = 0;
  int64_t rows_since_store = 0;
  double computing = 0;
  // Results of the step in progress.
  double loss = 0;
  std::vector<double> parts;
  Tensors outputs;
};

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

std::vector<int64_t> Replicated::division(int64_t rows) const {
  const int64_t n = devices_.size();
  std::vector<int64_t> counts;
  for (int64_t r = 0; r < n; ++r) counts.push_back(rows / n + (r < rows % n ? 1 : 0));
  return counts;
}

std::vector<int64_t> Replicated::edges(int64_t rows) const {
  std::vector<int64_t> edges{0};
  for (int64_t count : division(rows)) edges.push_back(edges.back() + count);
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

StepResult Replicated::total(int64_t rows) const {
  StepResult result;
  result.rows = rows;
  for (const auto& replica : replicas_) {
    result.loss += replica->loss;
    if (result.outputs.size() < replica->parts.size()) result.outputs.resize(replica->parts.size());
    for (std::size_t i = 0; i < replica->parts.size(); ++i) result.outputs[i] += replica->parts[i];
  }
  return result;
}

Tensor Replicated::add_losses(Replica& replica, int64_t rank, const Tensors& outputs, const LogitsRecord& logits,
                              const data::Batch& own, int64_t rows) {
  const auto& losses = *program_.losses;
  const bool has_rows = own.rows() > 0;
  LossSet::Sums sums{{}, std::vector<double>(losses.size(), 0.0)};
  if (has_rows) sums = losses.add_up(outputs, logits, own);
  auto counts = sums.counts;
  if (losses.masked()) {
    Tensor all = at::tensor(counts, at::kDouble);
    group_.rank(rank).all_reduce(all);
    counts.assign(all.const_data_ptr<double>(), all.const_data_ptr<double>() + counts.size());
  } else if (has_rows) {
    for (auto& count : counts) count *= static_cast<double>(rows) / static_cast<double>(own.rows());
  }
  if (!has_rows) return {};
  const auto value = losses.mean(sums, counts);
  for (const auto& part : value.parts) replica.parts.push_back(part.item<double>());
  replica.loss = value.total.item<double>();
  return value.total;
}

StepResult Replicated::train_step(const data::Batch& batch, const RandomStream& random, double rate,
                                  const Observer& observer) {
  const int64_t rows = batch.rows();
  const auto edge = edges(rows);
  ahead_ = true;
  run([&](int64_t rank, Replica& replica) {
    const auto start = Clock::now();
    const auto r = static_cast<std::size_t>(rank);
    replica.trainable.zero_gradients();
    replica.loss = 0;
    replica.parts.clear();
    const WeightScope weights(replica.map);
    Tensor loss;
    const auto own = batch.slice(edge[r], edge[r + 1]);
    LogitsRecord logits;
    Tensors outputs;
    if (own.rows() > 0) {
      const CallContext context{.training = true, .random = random, .first_row = edge[r], .logits = &logits};
      const CallScope scope(context);
      outputs = call(*program_.network, own.x, context);
    }
    loss = add_losses(replica, rank, outputs, logits, own, rows);
    if (own.rows() > 0) {
      replica.rows_trained += own.rows();
      replica.rows_since_store += own.rows();
      if (observer) {
        c10::NoGradGuard no_grad;
        observer(rank, own, outputs);
      }
    }
    if (rank == 0) {  // penalties count once, whatever the number of replicas
      const Tensor penalty = program_.network->regularization();
      if (penalty.defined()) {
        replica.loss += penalty.item<double>();
        loss = loss.defined() ? loss + penalty : penalty;
      }
    }
    if (loss.defined() && loss.requires_grad()) loss.backward();
    replica.trainable.gather_gradients();
    replica.computing += seconds_since(start);

    auto& communicator = group_.rank(rank);
    communicator.all_reduce(replica.trainable.gradients());
    const auto updating = Clock::now();
    program_.optimizer->update(replica.trainable.parameters(), replica.trainable.gradients(), replica.slots,
                               iterations_, rate);
    replica.computing += seconds_since(updating);
  });
  ++iterations_;
  return total(rows);
}

StepResult Replicated::test_step(const data::Batch& batch, const Observer& observer) {
  const int64_t rows = batch.rows();
  const auto edge = edges(rows);
  run([&](int64_t rank, Replica& replica) {
    const auto r = static_cast<std::size_t>(rank);
    c10::NoGradGuard no_grad;
    replica.loss = 0;
    replica.parts.clear();
    const WeightScope weights(replica.map);
    const auto own = batch.slice(edge[r], edge[r + 1]);
    LogitsRecord logits;
    Tensors outputs;
    if (own.rows() > 0) {
      const CallContext context{.first_row = edge[r], .logits = &logits};
      const CallScope scope(context);
      outputs = call(*program_.network, own.x, context);
    }
    add_losses(replica, rank, outputs, logits, own, rows);
    if (observer && own.rows() > 0) observer(rank, own, outputs);
    if (rank == 0) {
      const Tensor penalty = program_.network->regularization();
      if (penalty.defined()) replica.loss += penalty.item<double>();
    }
  });
  return total(rows);
}

Tensors Replicated::predict_step(const Tensors& x) {
  const int64_t rows = x.front().size(0);
  const auto edge = edges(rows);
  run([&](int64_t rank, Replica& replica) {
    const auto r = static_cast<std::size_t>(rank);
    c10::NoGradGuard no_grad;
    replica.outputs = {};
    if (edge[r] == edge[r + 1]) return;
    const WeightScope weights(replica.map);
    const CallContext context{.first_row = edge[r]};
    const CallScope scope(context);
    replica.outputs = call(*program_.network, data::Batch{x, {}, {}}.slice(edge[r], edge[r + 1]).x, context);
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

void Replicated::load() {
  ahead_ = false;
  run([&](int64_t, Replica& replica) {
    c10::NoGradGuard no_grad;
    replica.trainable.load();
    for (const auto& w : replica.fixed) replica.own(w).copy_(w.variable().value);
    replica.rows_since_store = 0;
  });
}

void Replicated::store() {
  // The masters may belong to others too (a parallel model's template): what is not newer must not replace theirs.
  if (!ahead_) return;
  ahead_ = false;
  c10::NoGradGuard no_grad;
  replicas_.front()->trainable.store();
  int64_t rows = 0;
  for (const auto& replica : replicas_) rows += replica->rows_since_store;
  if (rows == 0) return;
  for (const auto& w : statistics_) {
    // As first + sum of weighted differences: statistics that are equal everywhere stay the same bits.
    Tensor& mean = replicas_.front()->own(w);
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
