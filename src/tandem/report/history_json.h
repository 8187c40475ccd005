#pragma once
#include <string>
#include <vector>

#include "tandem/report/series.h"

namespace tandem::report {

/// The history as a JSON object of lists under Keras's keys, as Python's json writes it: each number has the fewest
/// digits that read back the same, NaN and Infinity stand as such. One of a training that was `interrupted` has
/// "interrupted": true besides. Throws InvalidArgument in a build without nlohmann-json.
std::string history_json(const Series& history, bool interrupted = false);

/// The history as CSV (RFC 4180): a header "epoch,<names>", then a row for each epoch under its number, counted from 0
/// as Keras's CSVLogger does. A figure that the epoch did not give is an empty cell.
std::string history_csv(const std::vector<EpochFigures>& epochs);

/// Writes history_csv where `path` ends in .csv, else history_json of the lists, in one step: a reader never sees a
/// part. Throws DataError "<path>: <reason>".
///     report::write_history(history.by_epoch(), "history.json", history.interrupted())
void write_history(const std::vector<EpochFigures>& epochs, const std::string& path, bool interrupted = false);

/// The figures as lists by name.
Series series_of(const std::vector<EpochFigures>& epochs);

}  // namespace tandem::report
