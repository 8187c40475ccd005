#pragma once
#include <string>

#include "tandem/comm/job_key.h"

namespace tandem::servers {

/// Writes a new key for servers and workers to a file that its user alone may read (mode 0600). Throws DataError,
/// naming the file, where it is there already or cannot be written.
void write_new_key(const std::string& path);

/// Throws DataError, naming the file but not its text, where it is missing, others may read it, or it holds no key.
comm::JobKey read_key(const std::string& path);

}  // namespace tandem::servers
