#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "tandem/servers/parameter_table.h"

namespace tandem::servers {

/// An answer, and whom it was for.
struct Given {
  int64_t worker;
  BlockAnswer answer;
};

/// One server's table, which all workers have joined, and the answers that it gave.
struct Table {
  explicit Table(const ServerPlan& plan, int64_t server = 0) : plan(plan) {
    table = ParameterTable::make(plan, server, [this](int64_t worker, const BlockAnswer& answer) {
      answers.push_back({worker, answer});
    });
    for (int64_t w = 0; w < plan.workers; ++w) table->join(w);
  }
  // All blocks of a gradient of the whole buffer.
  void push(int64_t worker, uint64_t id, int64_t version, const Tensor& gradient, int64_t rows = 1,
            int64_t all_rows = 0, double rate = -1) {
    for (int64_t b = 0; b < plan.blocks(); ++b) push_block(b, worker, id, version, gradient, rows, all_rows, rate);
  }
  void push_block(int64_t b, int64_t worker, uint64_t id, int64_t version, const Tensor& gradient, int64_t rows = 1,
                  int64_t all_rows = 0, double rate = -1) {
    table->push({worker, id, b, version, rows, all_rows, rate, 1,
                 gradient.narrow(0, plan.block_begin(b), plan.block_elements(b))});
  }
  const BlockAnswer& last() const { return answers.back().answer; }

  ServerPlan plan;
  std::unique_ptr<ParameterTable> table;
  std::vector<Given> answers;
};

}  // namespace tandem::servers
