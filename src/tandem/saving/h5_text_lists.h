#pragma once
#include <string>
#include <vector>

#include "tandem/saving/h5_file.h"

namespace tandem::saving {

/// Writes a list of strings as attribute `name`, or, where it is larger than an HDF5 object header takes (64 KB),
/// divided as evenly as it goes as name0, name1, ..., as Keras does.
void write_text_list(const H5Group& group, const std::string& name, const std::vector<std::string>& texts);

bool has_text_list(const H5Group& group, const std::string& name);
/// The list written so; empty when there is none.
std::vector<std::string> read_text_list(const H5Group& group, const std::string& name);

}  // namespace tandem::saving
