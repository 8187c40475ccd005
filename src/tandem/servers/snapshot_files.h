#pragma once
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "tandem/servers/range_snapshot.h"

namespace tandem::servers {

/// Where a server saves its range, and how often.
struct SaveOptions {
  std::string folder = {};      // empty: nowhere
  int64_t every_updates = 100;  // at its updates whose number divides by this
};

/// Which of the servers of several hosts it is, and how these average, as a text. count 0: there are no others.
struct SavingHost {
  int64_t own = 0, count = 0;
  std::string text = {};
};

/// The last three snapshots of a server in a folder, written on a thread of its own, one at a time. All servers of a
/// job save at the same updates; one may be a snapshot ahead of another that still writes, and in mode sync makes no
/// more updates than that other: so there is always one that all of them have.
///
/// Those of several hosts save at the ends of the same rounds, and what is called an update here is a round there. A
/// round takes all of them, so that one is no more than a snapshot ahead, too.
class SnapshotFiles {
 public:
  /// Makes the folder where it is not there. Throws InvalidArgument on an interval below 1, DataError where nothing can
  /// be written there.
  explicit SnapshotFiles(const SaveOptions& options, SavingHost host = {});
  /// Ends what is being written.
  ~SnapshotFiles();
  SnapshotFiles(const SnapshotFiles&) = delete;
  SnapshotFiles& operator=(const SnapshotFiles&) = delete;

  bool due(int64_t version) const { return version > 0 && version % options_.every_updates == 0 && version != last_; }
  /// The one that was written last, after waiting for it; its memory may be used again.
  RangeSnapshot spare();
  /// Waits for the one before, and returns while this one is written. What cannot be written is warned of: training
  /// goes on.
  void save(RangeSnapshot snapshot);
  /// Updates of which there are snapshots of this server, the earliest first. Throws DataError where the folder holds
  /// those of a job with another number of servers, or of other ones.
  std::vector<int64_t> versions(int64_t server, int64_t servers);
  /// Throws DataError, naming the file, where it is damaged, of a job with another plan, or of another host.
  RangeSnapshot read(int64_t server, int64_t servers, int64_t version, const std::string& plan_text);
  /// The last one that there is, where the folder holds those of one server alone.
  std::optional<RangeSnapshot> newest_of_one_server();
  /// Removes those of later updates, which will be made anew; of -1: all.
  void forget_after(int64_t server, int64_t servers, int64_t version);

 private:
  struct Found {
    bool of_host;
    int64_t server, servers, version;
  };
  Found file_of(int64_t server, int64_t servers, int64_t version) const;
  std::string path_of(const Found& file) const;
  int64_t version_of(const RangeSnapshot& snapshot) const;
  void write_all();
  void finish();
  void write_one(const RangeSnapshot& snapshot);
  std::vector<int64_t> versions_there(int64_t server, int64_t servers) const;
  std::vector<Found> found() const;

  const SaveOptions options_;
  const SavingHost host_;
  int64_t last_ = -1;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<RangeSnapshot> next_;  // guarded by mutex_
  RangeSnapshot spare_;                // likewise
  bool writing_ = false, ending_ = false;
  std::thread writer_;
};

}  // namespace tandem::servers
