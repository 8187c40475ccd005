#pragma once
#include <cstdint>
#include <string>

#include "tandem/comm/job_key.h"

namespace tandem::comm {

/// Where rank 0 of a job is met, and with what key: what mpirun and srun do not tell, and rank 0 hands on.
struct MeetingAddress {
  std::string host;
  int64_t port = 0;
  JobKey key;

  /// Three lines; it holds the job's secret.
  std::string to_text() const;
  /// Throws DataError in the name of `what`, without repeating the text, where it is none.
  static MeetingAddress of_text(const std::string& text, const std::string& what);
};

}  // namespace tandem::comm
