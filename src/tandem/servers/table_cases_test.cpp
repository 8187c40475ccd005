#include <ATen/ATen.h>

#include "tandem/servers/table_plan_test.h"

namespace tandem::servers {

ServerPlan table_plan(const std::string& optimizer, const Config& config, ServerPlan wishes, int64_t servers) {
  wishes.weights = {
      {"kernel", 0, {7, 5}}, {"bias", 48, {16}}, {"first", 64, {23, 3}, {}, true}, {"second", 133, {18, 5}, {}, true}};
  wishes.elements = 133 + 90;
  return divide_among_servers(wishes, *Optimizer::make(optimizer, config), servers, 64, 80);
}

std::vector<std::pair<std::string, Config>> table_rules() {
  return {{"SGD", Config::object({{"learning_rate", 0.1}})},
          {"SGD", Config::object({{"clipvalue", 0.5}})},
          {"SGD", Config::object({{"clipnorm", 0.5}})},
          {"SGD", Config::object({{"global_clipnorm", 0.5}})},
          {"SGD", Config::object({{"momentum", 0.9}})},
          {"SGD", Config::object({{"weight_decay", 0.1}})},
          {"SGD", Config::object({{"gradient_accumulation_steps", int64_t{2}}})},
          {"Adagrad", Config::object()},
          {"Adam", Config::object()},
          {"Adam", Config::object({{"clipnorm", 0.5}})},
          {"RMSprop", Config::object()},
          {"Ftrl", Config::object()},
          {"Lamb", Config::object()}};
}

std::vector<Tensor> some_table_gradients(const ServerPlan& plan, int64_t workers, int64_t step) {
  auto gradients = some_gradients(plan, workers, step);
  for (int64_t w = 0; w < workers; ++w) {
    for (const auto& weight : plan.weights) {
      if (!weight.is_table) continue;
      const Tensor table = gradients[static_cast<std::size_t>(w)].narrow(0, weight.offset, weight.count());
      for (int64_t row = 0; row < weight.shape[0]; ++row) {
        const bool touched = (row * (w + 2) + step) % 5 == 0 && (workers == 1 || w + 1 < workers);
        if (!touched) table.view(weight.shape)[row].zero_();
      }
    }
  }
  return gradients;
}

RowGradient rows_in(const ServerPlan& plan, std::size_t table, const Tensor& gradient) {
  const auto& weight = plan.weights[table];
  const Tensor all = gradient.narrow(0, weight.offset, weight.count()).view({weight.shape[0], weight.row()});
  const Tensor rows = all.ne(0).any(1).nonzero().view({-1});
  return {rows, all.index_select(0, rows)};
}

Push push_of(const ServerPlan& plan, int64_t block, int64_t worker, uint64_t id, int64_t version,
             const Tensor& gradient, int64_t rows) {
  Push push{.worker = worker, .id = id, .block = block, .version = version, .rows = rows};
  if (const auto table = plan.table_of(block)) {
    const int64_t row = plan.weights[*table].row();
    const int64_t begin = (plan.block_begin(block) - plan.weights[*table].offset) / row;
    const auto part = rows_in(plan, *table, gradient).part(begin, begin + plan.block_rows(block));
    push.gradient = part.values;
    push.table_rows = part.rows;
  } else {
    push.gradient = gradient.narrow(0, plan.block_begin(block), plan.block_elements(block));
  }
  return push;
}

}  // namespace tandem::servers
