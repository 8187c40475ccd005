#include "tandem/training/fit_facts.h"

#include <c10/util/StringUtil.h>

#include <algorithm>
#include <utility>

#include "tandem/core/log.h"

namespace tandem {

History::Facts count_facts(const distribute::Execution& execution) {
  History::Facts facts;
  facts.rows = execution.rows_trained();
  facts.staleness = execution.staleness();
  const auto averages = execution.server_averages();
  facts.server_rounds = averages.rounds;
  facts.server_bytes = averages.bytes;
  facts.dropped_rows = execution.dropped_rows();
  for (int64_t r = 0; r < execution.devices().size(); ++r) {
    facts.devices.push_back(execution.devices()[r].to_string());
    facts.bytes_sent.push_back(execution.bytes_sent(r));
    facts.bytes_received.push_back(execution.bytes_received(r));
    const auto memory = execution.memory(r);
    facts.parameter_bytes.push_back(memory.parameters);
    facts.gradient_bytes.push_back(memory.gradients);
    facts.optimizer_bytes.push_back(memory.optimizer);
    const auto shares = execution.time_shares(r);
    facts.compute_seconds.push_back(shares.compute);
    facts.exchange_seconds.push_back(shares.exchange);
    facts.waiting_seconds.push_back(shares.waiting);
  }
  return facts;
}

History::Facts facts_between(const History::Facts& before, History::Facts now) {
  for (std::size_t r = 0; r < now.rows.size(); ++r) {
    now.rows[r] -= before.rows[r];
    now.bytes_sent[r] -= before.bytes_sent[r];
    now.bytes_received[r] -= before.bytes_received[r];
    now.compute_seconds[r] -= before.compute_seconds[r];
    now.exchange_seconds[r] -= before.exchange_seconds[r];
    now.waiting_seconds[r] -= before.waiting_seconds[r];
  }
  now.server_rounds -= before.server_rounds;
  now.server_bytes -= before.server_bytes;
  for (std::size_t age = 0; age < before.staleness.size(); ++age) now.staleness[age] -= before.staleness[age];
  for (std::size_t s = 0; s < before.dropped_rows.size(); ++s) now.dropped_rows[s] -= before.dropped_rows[s];
  return now;
}

void fit_waiting_beside_computing(History::Facts& facts) {
  for (std::size_t r = 0; r < facts.devices.size(); ++r) {
    const double left = std::max(facts.seconds - facts.compute_seconds[r], 0.0);
    const double away = facts.exchange_seconds[r] + facts.waiting_seconds[r];
    if (away <= left) continue;
    facts.exchange_seconds[r] *= left / away;
    facts.waiting_seconds[r] *= left / away;
  }
}

std::string describe_training(distribute::Execution& execution, int64_t batch_size, int64_t steps, int64_t accumulate) {
  std::string rows;
  if (execution.out_of_step()) {
    const auto parts = execution.parts_of_batch();
    rows = c10::str("batches of ", batch_size, parts > 1 ? c10::str(", in ", parts, " parts,") : "",
                    " go to whoever is free");
    if (execution.crowd()) rows += ", in this process or another";
  } else if (batch_size > 0) {
    for (int64_t n : execution.division(batch_size)) rows += c10::str(rows.empty() ? "" : " + ", n);
    rows += c10::str(execution.peers() ? " rows here of each batch of " : " rows of each batch of ", batch_size);
  } else {
    rows = "batches of the sizes that the data gives";
  }
  const std::string length = steps < 0 ? "epochs as long as the data" : c10::str(steps, " steps an epoch");
  const int64_t threads = execution.threads_per_device();
  const std::string updates = accumulate > 1 ? c10::str(", an update every ", accumulate, " steps") : "";
  auto* peers = execution.peers();
  const std::string processes = peers ? c10::str(" in each of ", peers->count(), " processes") : "";
  return c10::str("training on ", execution.devices().to_string(), processes, " (", threads,
                  threads == 1 ? " thread" : " threads", execution.devices().size() > 1 ? " each): " : "): ", rows,
                  ", ", length, updates);
}

void warn_of_idle_ranks(const std::vector<int64_t>& rows, int64_t epoch) {
  for (std::size_t r = 0; r < rows.size(); ++r) {
    if (rows[r] == 0)
      log_warning(c10::str("rank ", r, " got no row in epoch ", epoch + 1, "; use larger batches or fewer processes"));
  }
}

void warn_of_idle_devices(const distribute::Execution& execution, const std::vector<int64_t>& before, int64_t epoch) {
  const auto rows = execution.rows_trained();
  for (std::size_t r = 0; r < rows.size(); ++r) {
    if (rows[r] == before[r]) {
      log_warning(c10::str("device ", execution.devices()[static_cast<int64_t>(r)].to_string(), " got no row in epoch ",
                           epoch + 1, "; use larger batches or fewer devices"));
    }
  }
}

}  // namespace tandem
