#pragma once
#include "tandem/core/state_dict.h"
#include "tandem/saving/h5_file.h"

namespace tandem::saving {

/// Writes each entry as a data set at the path that its name is: tensors as they are, whole numbers as an int64 and
/// other numbers as a float64 without axes. A text is a group's attribute "text".
void write_state(const StateDict& state, const H5Group& group);

/// What write_state wrote, sorted by name. Throws DataError naming the file and the path in it when it is damaged.
StateDict read_state(const H5Group& group);

}  // namespace tandem::saving
