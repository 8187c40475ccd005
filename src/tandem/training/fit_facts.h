#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "tandem/callbacks/history.h"
#include "tandem/distribution/execution.h"

namespace tandem {

/// What the execution's counters say now: rows, bytes and seconds of each device.
History::Facts count_facts(const distribute::Execution& execution);
/// What happened between two counts.
History::Facts facts_between(const History::Facts& before, History::Facts now);

/// Of logical shards one waits while another one of their device works, which is no time of the device's: it exchanges
/// and waits in what its computing leaves of facts.seconds.
void fit_waiting_beside_computing(History::Facts& facts);

/// The first line of a training:
///     training on cpu:0,cpu:1 (1 thread each): 16 + 16 rows of each batch of 32, 45 steps an epoch
/// where replicas do not wait for one another "batches of 32 go to whoever is free, ...", with backup workers "batches
/// of 32, in 3 parts, go to ...", and where gradients are accumulated ", an update every 4 steps". Where other
/// processes train, too, of this one's rows: "training on cpu:0 in each of 2 processes (1 thread): 16 rows here of each
/// batch of 32, ...".
std::string describe_training(distribute::Execution& execution, int64_t batch_size, int64_t steps, int64_t accumulate);

/// Warns of each device whose count of rows is still what it was `before` epoch `epoch` (from 0).
void warn_of_idle_devices(const distribute::Execution& execution, const std::vector<int64_t>& before, int64_t epoch);

/// Warns of each rank, of several processes, that had no row in epoch `epoch` (from 0); `rows`: by rank.
void warn_of_idle_ranks(const std::vector<int64_t>& rows, int64_t epoch);

}  // namespace tandem
