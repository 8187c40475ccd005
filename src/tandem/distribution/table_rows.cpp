#include "tandem/distribution/table_rows.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <c10/util/StringUtil.h>

#include <algorithm>

#include "tandem/core/log.h"

namespace tandem::distribute {

TableRows::TableRows(std::vector<Weight> tables, Pull pull, bool tells)
    : tables_(std::move(tables)),
      pull_(std::move(pull)),
      current_whole_(tables_.size()),
      tells_(tables_.size(), tells) {
  for (std::size_t t = 0; t < tables_.size(); ++t) sums_.push_back(none_of(t));
}

servers::RowGradient TableRows::none_of(std::size_t table) const {
  const auto& value = tables_[table].variable().value;
  return {at::empty({0}, at::kLong), at::empty({0, value.numel() / value.size(0)}, at::kFloat)};
}

std::size_t TableRows::find(const Variable& variable) const {
  std::size_t t = 0;
  while (t < tables_.size() && &tables_[t].variable() != &variable) ++t;
  return t;
}

void TableRows::begin_step() {
  gather();
  updated();
  calls_.clear();
}

void TableRows::zero_gradients() {
  for (auto& call : calls_) call.leaf.mutable_grad().reset();
  for (std::size_t t = 0; t < tables_.size(); ++t) sums_[t] = none_of(t);
}

Tensor& TableRows::leaf_of(std::size_t table, Tensor rows, Tensor values) {
  calls_.push_back({table, std::move(rows), values.detach().set_requires_grad(true)});
  return calls_.back().leaf;
}

Tensor TableRows::rows_of(const Weight& table, const Tensor& ids) {
  const auto t = find(table.variable());
  if (t == tables_.size()) return at::embedding(table.value(), ids);
  const auto [rows, places, counts] = at::_unique2(ids.to(at::kLong), /*sorted=*/true, /*return_inverse=*/true);
  Tensor values = pull_(t, rows);
  auto shape = table.shape().sizes();
  shape[0] = rows.numel();
  return at::embedding(leaf_of(t, rows, values.view(shape)), places);
}

const Tensor* TableRows::bring(const Variable& variable) {
  const auto t = find(variable);
  if (t == tables_.size()) return nullptr;
  if (!current_whole_[t]) {
    if (tells_[t])
      log_info(c10::str("weight '", variable.name, "' (", variable.shape,
                        ") is read whole in training: parameter servers move all of its rows in each step"));
    tells_[t] = false;
    current_whole_[t] = &leaf_of(t, {}, pull_(t, {}).view(variable.shape.sizes()));
  }
  return current_whole_[t];
}

void TableRows::gather() {
  const c10::NoGradGuard no_grad;
  auto news = std::vector<servers::RowGradient>(tables_.size());
  for (auto call = calls_.rbegin(); call != calls_.rend(); ++call) {
    if (!call->leaf.grad().defined()) continue;
    const Tensor values = call->leaf.grad().contiguous().view({call->leaf.size(0), -1});
    call->leaf.mutable_grad().reset();
    const Tensor rows = call->rows.defined() ? call->rows : at::arange(values.size(0));
    auto& sum = news[call->table];
    sum = sum.rows.defined() ? add(sum, {rows, values}) : servers::RowGradient{rows, values};
  }
  for (std::size_t t = 0; t < tables_.size(); ++t) {
    if (news[t].rows.defined()) sums_[t] = add(sums_[t], news[t]);
  }
}

const servers::RowGradient& TableRows::gradient(std::size_t table) {
  gather();
  return sums_[table];
}

}  // namespace tandem::distribute
