#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace tandem::data {

/// One line of a table: its fields without quotes and outer spaces, and its number from 1 (that of the last line where
/// a quoted field spans several).
struct CsvLine {
  std::vector<std::string> fields;
  int64_t number = 0;
};

/// Reads a plain or gzip table line by line; empty lines are passed over. What `take` throws is passed on. Throws
/// DataError naming file and line where quotes do not match.
void read_csv(const std::string& path, char delimiter, const std::function<void(const CsvLine&)>& take);

}  // namespace tandem::data
