#include "tandem/comm/meeting_file.h"

#include <c10/util/StringUtil.h>
#include <dirent.h>
#include <unistd.h>

#include <filesystem>

#include "tandem/comm/private_file.h"
#include "tandem/core/error.h"

namespace tandem::comm {

std::string meeting_file_path(const cluster::Environment& environment) {
  std::filesystem::path folder;
  if (const auto given = environment.get("TANDEM_MEETING_DIR")) {
    folder = *given;
  } else if (const auto home = environment.get("HOME")) {
    folder = std::filesystem::path(*home) / ".cache" / "tandem" / "jobs";
    std::error_code ignored;  // a folder that is not there in the end is an error below
    std::filesystem::create_directories(folder, ignored);
  } else {
    throw InvalidArgument(
        "TANDEM_MEETING_DIR: must name a folder that all hosts of the job see, where HOME is not set");
  }
  if (!std::filesystem::is_directory(folder))
    throw InvalidArgument(
        c10::str("TANDEM_MEETING_DIR: must be a folder that all hosts of the job see, got '", folder.string(), "'"));
  const auto part = [&](const char* name) { return environment.get(name).value_or("0"); };
  // A job that is queued again has the ids of its earlier run.
  auto name = c10::str(environment.get("SLURM_CLUSTER_NAME").value_or("slurm"), "-", part("SLURM_JOB_ID"), "-",
                       part("SLURM_RESTART_COUNT"), "-", part("SLURM_STEP_ID"));
  for (auto& c : name) {
    if (c == '/') c = '_';
  }
  return folder / (name + ".meeting");
}

MeetingFile::MeetingFile(std::string path, const std::string& text) : path_(std::move(path)) {
  write_private_file("meeting file", path_, text, true);
}

MeetingFile::~MeetingFile() { ::unlink(path_.c_str()); }

std::optional<std::string> read_meeting_file(const std::string& path) {
  // Opening the folder makes NFS ask its server again, which else may go on for a minute about a file that was not
  // there.
  if (auto* folder = ::opendir(std::filesystem::path(path).parent_path().c_str())) ::closedir(folder);
  return read_private_file("meeting file", path);
}

}  // namespace tandem::comm
