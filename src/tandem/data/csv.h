#pragma once
#include <cstdint>
#include <string>

#include "tandem/data/labelled_dataset.h"

namespace tandem::datasets {

struct CsvOptions {
  std::string path = {};
  std::string label = {};       // the label's column by its name in the header
  int64_t label_column = -1;    // where no name is given: by number from 0; negative numbers count from the end
  std::string header = "auto";  // "yes", "no", "auto": the first line is one when no field of it is a number
  std::string delimiter = ",";  // one character
  /// "class": what the label column holds are names of classes, whole numbers or any text; "number": numbers; "none":
  /// all columns are inputs; "auto": numbers where one of them is no whole number, else classes.
  std::string label_mode = "auto";
};

/// A table of numbers with a label in each line (RFC 4180; gzip or plain): x float32 (rows, columns). Classes become
/// ids in the sorted order of their names, whole numbers by size: y int64 (rows), class_names() in that order. Labels
/// that are numbers are y float32 (rows). The file is read into memory. Throws DataError naming file, line (from 1) and
/// column, both from 1, for a field that is missing or no finite number, and for a line of another length.
data::LabelledDataset csv(const CsvOptions& options);

}  // namespace tandem::datasets
