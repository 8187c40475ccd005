// A stage of a pipeline: what the last one makes of the model's outputs.
#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <c10/util/StringUtil.h>

#include <algorithm>
#include <utility>

#include "tandem/core/error.h"
#include "tandem/distribution/pipeline_stage.h"

namespace tandem::distribute {

void PipelineStage::end_of_model(const Pass& pass, int64_t m, Run& run) {
  const auto& segment = plan_.cut.segments.back();
  Tensors made;
  for (const auto number : plan_.cut.outputs) {
    const auto read = std::find(segment.reads.begin(), segment.reads.end(), number);
    if (read != segment.reads.end()) {
      made.push_back(run.leaves[static_cast<std::size_t>(read - segment.reads.begin())]);
      continue;
    }
    const auto write =
        std::find_if(segment.writes.begin(), segment.writes.end(), [&](const auto& w) { return w.second == number; });
    made.push_back(run.written[static_cast<std::size_t>(write - segment.writes.begin())]);
  }
  const data::Batch& rows = micro_[m];
  const Tensors outputs = program_.network->checked_outputs(made, rows.rows(), {.logits = &run.logits});
  if (!pass.observer) {
    outputs_by_micro_batch_[static_cast<std::size_t>(m)] = outputs;
    return;
  }
  if (!program_.losses)
    throw InvalidArgument(c10::str("model '", program_.network->name(), "': must be compiled with a loss first"));
  auto sums = program_.losses->add_up(outputs, run.logits, rows);
  if (plan_.counts_late) {
    for (std::size_t i = 0; i < counts_.size(); ++i) counts_[i] += sums.counts[i];
    sums_[m] = std::move(sums);
  } else if (sums.masked) {
    throw InvalidArgument(
        plan_.who +
        ": an output must come with a mask always, or never: one that had none for made-up rows has "
        "one now, and how many values it leaves out is known only when all micro batches are through");
  } else {
    auto counts = sums.counts;
    for (auto& count : counts) count /= micro_.share(m);
    run.loss = take_loss(sums, counts);
  }
  if (!*pass.observer) return;
  const c10::NoGradGuard no_grad;
  Tensors logits;
  for (const auto& output : outputs) logits.push_back(run.logits.find(output));
  (*pass.observer)(shown_as_, rows, outputs, logits);
}

Tensor PipelineStage::take_loss(const LossSet::Sums& sums, const std::vector<double>& counts) {
  const auto value = program_.losses->mean(sums, counts);
  loss_ += value.total.item<double>();
  by_output_.resize(value.parts.size());
  for (std::size_t i = 0; i < value.parts.size(); ++i) by_output_[i] += value.parts[i].item<double>();
  return value.total;
}

void PipelineStage::settle_counts() {
  if (std::exchange(counts_settled_, true)) return;
  auto* replicas = ways_.data();
  if (!replicas) return;
  Tensor all = at::tensor(counts_, at::kDouble);
  replicas->all_reduce(all, {.what = "values that count in the loss"});
  counts_.assign(all.const_data_ptr<double>(), all.const_data_ptr<double>() + counts_.size());
}

Tensors PipelineStage::take_outputs() {
  Tensors joined;
  std::vector<Tensors> pieces;
  for (auto& piece : outputs_by_micro_batch_) {
    if (!piece.empty()) pieces.push_back(std::move(piece));
  }
  outputs_by_micro_batch_.clear();
  if (pieces.empty()) return joined;
  for (int64_t i = 0; i < pieces.front().size(); ++i) {
    std::vector<Tensor> rows;
    for (const auto& piece : pieces) rows.push_back(piece[i]);
    joined.push_back(rows.size() == 1 ? rows.front() : at::cat(rows));
  }
  return joined;
}

}  // namespace tandem::distribute
