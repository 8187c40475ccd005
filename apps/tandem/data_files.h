#pragma once
#include <string>

#include "data_argument.h"

namespace tandem::cli {

// The forms of --data that name a user's own files; see load_data.
NamedData load_npz_file(const std::string& path);
NamedData load_npy_files(const std::string& list);
NamedData load_folder(const std::string& path);
NamedData load_csv_file(const std::string& path);

}  // namespace tandem::cli
