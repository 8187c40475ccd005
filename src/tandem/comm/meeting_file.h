#pragma once
#include <optional>
#include <string>

#include "tandem/cluster/environment.h"

namespace tandem::comm {

/// Where the ranks of a step of Slurm look for the address of their rank 0: in TANDEM_MEETING_DIR, else in
/// ~/.cache/tandem/jobs, a file named by cluster, job, restart and step. Makes the latter folder. Throws
/// InvalidArgument where neither variable is set, or the folder is not there.
std::string meeting_file_path(const cluster::Environment& environment);

/// A file that its user alone may read, made by rank 0 and removed with this object. One that is left over from a
/// process that was killed is replaced; a reader sees the old content or the new, never a part.
class MeetingFile {
 public:
  /// Throws DataError naming the file where it cannot be written.
  MeetingFile(std::string path, const std::string& text);
  ~MeetingFile();
  MeetingFile(const MeetingFile&) = delete;
  MeetingFile& operator=(const MeetingFile&) = delete;

 private:
  std::string path_;
};

/// What a meeting file says; nothing where there is none. Throws DataError where it is not this user's, others may read
/// or write it, or it is no plain file.
std::optional<std::string> read_meeting_file(const std::string& path);

}  // namespace tandem::comm
