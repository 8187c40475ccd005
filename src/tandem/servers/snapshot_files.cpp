#include "tandem/servers/snapshot_files.h"

#include <c10/util/StringUtil.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <utility>

#include "tandem/core/atomic_file.h"
#include "tandem/core/error.h"
#include "tandem/core/log.h"
#include "tandem/servers/server_plan.h"

namespace tandem::servers {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kKept = 3;
constexpr const char* kSavedName = "server-%ld-of-%ld-update-%ld.snapshot";
constexpr const char* kHostName = "host-%ld-of-%ld-round-%ld.snapshot";

}  // namespace

SnapshotFiles::SnapshotFiles(const SaveOptions& options, SavingHost host) : options_(options), host_(std::move(host)) {
  if (options_.every_updates < 1)
    throw InvalidArgument(c10::str("server: must save every 1 or more updates, got ", options_.every_updates));
  std::error_code error;
  fs::create_directories(options_.folder, error);
  if (error) throw DataError(c10::str(options_.folder, ": cannot be made: ", error.message()));
  check_writable(path_of(file_of(0, 1, 0)));
  writer_ = std::thread([this] { write_all(); });
}

SnapshotFiles::~SnapshotFiles() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  writer_.join();
}

void SnapshotFiles::save(RangeSnapshot snapshot) {
  last_ = snapshot.version;
  snapshot.host = host_.text;
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return !next_ && !writing_; });
  next_ = std::move(snapshot);
  lock.unlock();
  changed_.notify_all();
}

RangeSnapshot SnapshotFiles::spare() {
  finish();
  return std::exchange(spare_, {});
}

void SnapshotFiles::finish() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return !next_ && !writing_; });
}

void SnapshotFiles::write_all() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return next_ || ending_; });
    if (!next_) return;
    auto snapshot = std::move(*next_);
    next_.reset();
    writing_ = true;
    lock.unlock();
    write_one(snapshot);
    lock.lock();
    writing_ = false;
    spare_ = std::move(snapshot);
    changed_.notify_all();
  }
}

void SnapshotFiles::write_one(const RangeSnapshot& snapshot) {
  const auto version = version_of(snapshot);
  try {
    const auto servers = ServerPlan::decode(snapshot.plan_text).servers();
    write_snapshot(path_of(file_of(snapshot.server, servers, version)), snapshot);
    const auto there = versions_there(snapshot.server, servers);
    for (std::size_t i = 0; i + kKept < there.size(); ++i)
      fs::remove(path_of(file_of(snapshot.server, servers, there[i])));
  } catch (const std::exception& error) {
    const auto file = file_of(snapshot.server, 0, version);
    log_warning(c10::str("server ", file.server, file.of_host ? ": round " : ": update ", version,
                         " is not saved: ", error.what()));
  }
}

int64_t SnapshotFiles::version_of(const RangeSnapshot& snapshot) const {
  return host_.count > 0 ? snapshot.figures.rounds : snapshot.version;
}

std::vector<int64_t> SnapshotFiles::versions(int64_t server, int64_t servers) {
  finish();
  return versions_there(server, servers);
}

std::vector<int64_t> SnapshotFiles::versions_there(int64_t server, int64_t servers) const {
  const auto own = file_of(server, servers, 0);
  const auto shown = [](const Found& file) {
    return c10::str(file.servers, " servers", file.of_host ? " that average" : "");
  };
  std::vector<int64_t> versions;
  for (const auto& one : found()) {
    if (one.servers != own.servers || one.of_host != own.of_host)
      throw DataError(c10::str(path_of(one), ": was saved by a job with ", shown(one), ", this one has ", shown(own),
                               "; give another folder"));
    if (one.server == own.server) versions.push_back(one.version);
  }
  std::sort(versions.begin(), versions.end());
  return versions;
}

std::vector<SnapshotFiles::Found> SnapshotFiles::found() const {
  std::vector<Found> all;
  for (const auto& entry : fs::directory_iterator(options_.folder)) {
    const auto name = entry.path().filename().string();
    for (const bool of_host : {false, true}) {
      long server = 0, servers = 0, version = 0;
      if (std::sscanf(name.c_str(), of_host ? kHostName : kSavedName, &server, &servers, &version) != 3) continue;
      const Found file{of_host, server, servers, version};
      if (name == fs::path(path_of(file)).filename()) all.push_back(file);
    }
  }
  return all;
}

std::optional<RangeSnapshot> SnapshotFiles::newest_of_one_server() {
  finish();
  const auto all = found();
  if (all.empty()) return {};
  const auto& first = all.front();
  for (const auto& one : all) {
    if (one.of_host || one.server != first.server || one.servers != first.servers) return {};
  }
  const auto last = versions_there(first.server, first.servers).back();
  return read_snapshot(path_of(file_of(first.server, first.servers, last)));
}

RangeSnapshot SnapshotFiles::read(int64_t server, int64_t servers, int64_t version, const std::string& plan_text) {
  finish();
  const auto path = path_of(file_of(server, servers, version));
  auto snapshot = read_snapshot(path);
  if (snapshot.host != host_.text)
    throw DataError(path + ": was saved by " + snapshot.host + ", this is " + host_.text + "; give another folder");
  if (snapshot.server != server || version_of(snapshot) != version || snapshot.plan_text != plan_text)
    throw DataError(path +
                    ": was saved by a job with another model, optimizer, mode or number of workers; give another "
                    "folder");
  return snapshot;
}

void SnapshotFiles::forget_after(int64_t server, int64_t servers, int64_t version) {
  finish();
  last_ = version;
  for (const auto later : versions_there(server, servers)) {
    if (later > version) fs::remove(path_of(file_of(server, servers, later)));
  }
}

SnapshotFiles::Found SnapshotFiles::file_of(int64_t server, int64_t servers, int64_t version) const {
  if (host_.count > 0) return {true, host_.own, host_.count, version};
  return {false, server, servers, version};
}

std::string SnapshotFiles::path_of(const Found& file) const {
  char name[96];
  std::snprintf(name, sizeof(name), file.of_host ? kHostName : kSavedName, static_cast<long>(file.server),
                static_cast<long>(file.servers), static_cast<long>(file.version));
  return (fs::path(options_.folder) / name).string();
}

}  // namespace tandem::servers
