// Replicated: a step that only computes outputs.
#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <c10/util/StringUtil.h>

#include <algorithm>

#include "tandem/core/error.h"
#include "tandem/distribution/replicated.h"

namespace tandem::distribute {

Tensors Replicated::predict_step(const data::Batch& batch) {
  settle();
  bring_tables();
  const data::Batch inputs_only{batch.x, {}, {}, {}, batch.first_row, batch.batch_rows};
  const auto edge = edges(inputs_only);
  const auto part = parts(inputs_only, edge);
  int64_t computing = 0;  // ranks with rows
  for (std::size_t r = 0; r + 1 < edge.size(); ++r) computing += edge[r + 1] > edge[r] ? 1 : 0;
  begin_host_part(edge);
  auto next = take_expected();
  next.batch.y = {};
  next.batch.weights = {};
  run([&](int64_t rank, Replica& replica) {
    const auto r = static_cast<std::size_t>(rank);
    c10::NoGradGuard no_grad;
    replica.outputs = {};
    auto* const gathered = replica.gathered();
    if (part[r].rows() == 0) {
      if (gathered) gathered->follow(computing);
      return;
    }
    const Tensors inputs = program_.network->as_inputs(replica.rows.bring(part[r]).x);
    if (gathered) computing < world_size() ? gathered->begin_of(computing) : gathered->begin();
    const WeightScope weights(replica.map, gathered);
    const CallContext context{.first_row = edge[static_cast<std::size_t>(first_ + rank)],
                              .placed = replica.placed,
                              .trace = replica.watched(),
                              .states = &replica.states};
    const CallScope scope(context);
    replica.outputs = program_.network->outputs(inputs, context);
    next.send(r, replica);
    if (gathered) gathered->end();
    for (auto& output : replica.outputs) output = output.to(at::kCPU);
  });
  int64_t outputs = 0;
  for (const auto& replica : replicas_) outputs = std::max(outputs, replica->outputs.size());
  Tensors merged;
  for (int64_t i = 0; i < outputs; ++i) {
    std::vector<Tensor> pieces;
    for (const auto& replica : replicas_) {
      if (!replica->outputs.empty()) pieces.push_back(replica->outputs[i]);
    }
    merged.push_back(pieces.size() == 1 ? pieces.front() : at::cat(pieces));
  }
  for (auto& replica : replicas_) replica->outputs = {};
  return peers_ ? joined_outputs(merged, edge) : merged;
}

// Of all processes. One without rows learns from the others what outputs there are.
Tensors Replicated::joined_outputs(const Tensors& own, const std::vector<int64_t>& edge) {
  PeerMessage about;
  about.put(static_cast<double>(own.size()));
  for (const auto& output : own) {
    about.put(static_cast<double>(output.scalar_type()));
    about.put(std::vector<double>(output.sizes().begin(), output.sizes().end()));
  }
  std::vector<int64_t> rows;
  for (int64_t p = 0; p < peers_->count(); ++p)
    rows.push_back(edge[static_cast<std::size_t>((p + 1) * ranks())] - edge[static_cast<std::size_t>(p * ranks())]);
  struct Kind {
    at::ScalarType type;
    std::vector<int64_t> sizes;  // of a row
    bool operator==(const Kind&) const = default;
  };
  std::vector<Kind> kinds;
  std::size_t first = 0;
  const auto messages = peers_->gather(about, outputs_topic_);
  for (std::size_t p = 0; p < messages.size(); ++p) {
    auto message = messages[p];
    std::vector<Kind> its;
    for (int64_t left = message.integer(); left > 0; --left) {
      const auto type = static_cast<at::ScalarType>(message.integer());
      const auto sizes = message.numbers();
      its.push_back({type, {sizes.begin() + 1, sizes.end()}});
    }
    if (rows[p] == 0) continue;
    if (kinds.empty()) {
      kinds = its;
      first = p;
    } else if (its != kinds) {
      throw InvalidArgument(c10::str("predict: outputs must have one type and shape of a row, but rank ", p,
                                     "'s differ from rank ", first, "'s"));
    }
  }
  Tensors joined;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    auto sizes = kinds[i].sizes;
    sizes.insert(sizes.begin(), 0);
    const Tensor here = own.empty() ? at::empty(sizes, kinds[i].type) : own[static_cast<int64_t>(i)];
    joined.push_back(peers_->join_rows(here, rows));
  }
  return joined;
}

}  // namespace tandem::distribute
