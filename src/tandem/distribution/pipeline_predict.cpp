// Pipelines: a step that only computes outputs.
#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include "tandem/distribution/joined_outputs.h"
#include "tandem/distribution/pipeline_execution.h"

namespace tandem::distribute {

Tensors PipelineExecution::predict_step(const data::Batch& batch) {
  const data::Batch inputs{batch.x, {}, {}, {}, batch.first_row, batch.batch_rows};
  const auto rows = rows_by_replica(inputs);
  const auto parts = cut(inputs, rows);
  run([&](int64_t device, PipelineStage& stage) {
    const c10::NoGradGuard no_grad;
    stage.compute(parts[static_cast<std::size_t>(device)], rows, nullptr);
  });
  std::vector<Tensors> pieces;
  for (auto& stage : stages_) {
    if (auto made = stage->take_outputs(); !made.empty()) pieces.push_back(std::move(made));
  }
  Tensors here;
  for (int64_t i = 0; !pieces.empty() && i < pieces.front().size(); ++i) {
    std::vector<Tensor> parts_of_output;
    for (const auto& piece : pieces) parts_of_output.push_back(piece[i]);
    here.push_back(pieces.size() == 1 ? parts_of_output.front() : at::cat(parts_of_output));
  }
  if (!peers_) return here;
  std::vector<int64_t> by_process(static_cast<std::size_t>(peers_->count()));
  for (int64_t r = 0; r < settings_.data; ++r) {
    const int64_t last = (r + 1) * plan_.division.stages - 1;
    by_process[static_cast<std::size_t>(process_of(last))] += rows[static_cast<std::size_t>(r)];
  }
  return joined_outputs(*peers_, outputs_topic_, here, by_process);
}

}  // namespace tandem::distribute
