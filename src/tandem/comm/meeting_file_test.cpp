// What rank 0 tells the others by a file: its name, its rights, and what is refused.
#include "tandem/comm/meeting_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tandem/comm/meeting_address.h"
#include "tandem/core/error.h"
#include "tandem/testing/message_of.h"
#include "tandem/testing/temporary_folder.h"

namespace tandem::comm {
namespace {

using testing::message_of;
using testing::TemporaryFolder;

TEST(MeetingFile, IsForItsUserAloneAndGoesWithItsWriter) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.meeting");
  EXPECT_FALSE(read_meeting_file(path).has_value());
  {
    const MeetingFile file(path, "where");
    struct stat status {};
    ASSERT_EQ(::stat(path.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777U, 0600U);
    EXPECT_EQ(read_meeting_file(path), "where");
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(MeetingFile, ReplacesWhatAKilledRankLeft) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.meeting");
  std::ofstream(path) << "old";
  std::ofstream(path + "." + std::to_string(::getpid()) + ".new") << "half";
  const MeetingFile file(path, "new");
  EXPECT_EQ(read_meeting_file(path), "new");
}

TEST(MeetingFile, OfAnybodyElseIsRefused) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.meeting"), link = folder.file("link");
  const MeetingFile file(path, "where");
  const auto refusal = [](const std::string& what) { return message_of<DataError>([&] { read_meeting_file(what); }); };
  std::filesystem::create_symlink(path, link);
  EXPECT_EQ(refusal(link), "meeting file " + link + ": must be a plain file");
  ASSERT_EQ(::chmod(path.c_str(), 0640), 0);
  EXPECT_EQ(refusal(path),
            "meeting file " + path + ": must be readable by its user alone (mode 0600), others have rights to it");
  if (::geteuid() == 0) {
    ASSERT_EQ(::chown(path.c_str(), 12345, 12345), 0);
    EXPECT_EQ(refusal(path),
              "meeting file " + path + ": must belong to user 0, whose job this is, and belongs to 12345");
  } else {
    EXPECT_NE(refusal("/etc/passwd").find(", whose job this is, and belongs to 0"), std::string::npos);
  }
}

TEST(MeetingFile, IsNamedByTheStepAndItsRestart) {
  const TemporaryFolder folder;
  const auto path = [&](std::map<std::string, std::string> variables) {
    return meeting_file_path(cluster::Environment(std::move(variables)));
  };
  std::map<std::string, std::string> step{{"TANDEM_MEETING_DIR", folder.path()},
                                          {"SLURM_CLUSTER_NAME", "c/1"},
                                          {"SLURM_JOB_ID", "17"},
                                          {"SLURM_STEP_ID", "2"}};
  EXPECT_EQ(path(step), folder.file("c_1-17-0-2.meeting"));
  step["SLURM_RESTART_COUNT"] = "1";
  EXPECT_EQ(path(step), folder.file("c_1-17-1-2.meeting"));
  EXPECT_EQ(path({{"HOME", folder.path()}, {"SLURM_JOB_ID", "17"}}),
            folder.file(".cache/tandem/jobs/slurm-17-0-0.meeting"));
  EXPECT_TRUE(std::filesystem::is_directory(folder.file(".cache/tandem/jobs")));
  EXPECT_EQ(message_of([&] {
              path({{"TANDEM_MEETING_DIR", "/no/folder"}});
            }),
            "TANDEM_MEETING_DIR: must be a folder that all hosts of the job see, got '/no/folder'");
  EXPECT_EQ(message_of([&] { path({}); }),
            "TANDEM_MEETING_DIR: must name a folder that all hosts of the job see, where HOME is not set");
}

TEST(MeetingAddress, AsText) {
  for (const char* host : {"node-1", "10.0.0.1", "fd00::2"}) {
    const MeetingAddress address{host, 4711, JobKey::fresh()};
    const auto read = MeetingAddress::of_text(address.to_text(), "file");
    EXPECT_EQ(read.host, host);
    EXPECT_EQ(read.port, 4711);
    EXPECT_EQ(read.key.open, address.key.open);
  }
  const auto text = MeetingAddress{"a", 1, JobKey::fresh()}.to_text();
  for (std::size_t n = 0; n < text.size(); ++n) {
    EXPECT_EQ(message_of<DataError>([&] { MeetingAddress::of_text(text.substr(0, n), "file"); }),
              "file: must say where rank 0 is met and with what key, and does not");
  }
}

}  // namespace
}  // namespace tandem::comm
