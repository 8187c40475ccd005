#pragma once
#include <string>

namespace tandem {

/// Makes the folder that a file is to be written into, where it is not there. Throws DataError naming `who` asks and
/// the folder when it cannot be made.
void make_folder_of(const std::string& path, const std::string& who);

}  // namespace tandem
