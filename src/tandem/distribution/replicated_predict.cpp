// Replicated: a step that only computes outputs.
#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include <algorithm>

#include "tandem/distribution/joined_outputs.h"
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
    if (gathered) gathered->begin();
    if (part[r].rows() == 0) {
      if (gathered) gathered->follow_part(computing);
      if (gathered) gathered->end();
      return;
    }
    const Tensors inputs = program_.network->as_inputs(replica.rows.bring(part[r]).x);
    if (gathered) gathered->begin_part(computing);
    const WeightScope weights(replica.map, gathered);
    const CallContext context{.first_row = edge[static_cast<std::size_t>(first_ + rank)],
                              .placed = replica.placed,
                              .trace = replica.watched(),
                              .states = &replica.states};
    const CallScope scope(context);
    replica.outputs = program_.network->outputs(inputs, context);
    next.send(r, replica);
    if (gathered) {
      for (auto& output : replica.outputs) {
        if (gathered->holds(output)) output = output.clone();
      }
      gathered->end_part();
      gathered->end();
    }
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
  if (!peers_) return merged;
  std::vector<int64_t> rows;
  for (int64_t p = 0; p < peers_->count(); ++p)
    rows.push_back(edge[static_cast<std::size_t>((p + 1) * ranks())] - edge[static_cast<std::size_t>(p * ranks())]);
  return joined_outputs(*peers_, outputs_topic_, merged, rows);
}

}  // namespace tandem::distribute
