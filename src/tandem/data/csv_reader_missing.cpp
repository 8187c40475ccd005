// In place of csv_reader.cpp where libcsv is missing.
#include "tandem/core/error.h"
#include "tandem/data/csv_reader.h"

namespace tandem::data {

void read_csv(const std::string& path, char, const std::function<void(const CsvLine&)>&) {
  throw InvalidArgument(path + ": csv files cannot be read: Tandem was built without libcsv");
}

}  // namespace tandem::data
