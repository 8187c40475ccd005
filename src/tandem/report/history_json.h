#pragma once
#include <string>

#include "tandem/report/series.h"

namespace tandem::report {

/// The history as a JSON object of lists under Keras's keys, as Python's json writes it: each number has the fewest
/// digits that read back the same, NaN and Infinity stand as such.
std::string history_json(const Series& history);

/// The history as CSV (RFC 4180): a header "epoch,<names>", then one row an epoch, the first epoch being 0 as Keras's
/// CSVLogger counts. A list that is shorter than the longest fills the first rows.
std::string history_csv(const Series& history);

/// Writes history_csv where `path` ends in .csv, else history_json, in one step: a reader never sees a part.
/// Throws DataError "<path>: <reason>".
void write_history(const Series& history, const std::string& path);

}  // namespace tandem::report
