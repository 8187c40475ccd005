#include "tandem/comm/shared_processes.h"

#include <c10/util/StringUtil.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <numeric>
#include <sstream>

#include "tandem/comm/shared_hub.h"
#include "tandem/comm/shared_rank.h"
#include "tandem/comm/wait_for_ranks.h"
#include "tandem/core/error.h"

namespace tandem::comm {
namespace {

class SharedGroup final : public RankGroup {
 public:
  SharedGroup(std::shared_ptr<SharedHub> hub, SharedMemory memory) : hub_(std::move(hub)) {
    std::vector<int64_t> members(static_cast<std::size_t>(hub_->ranks()));
    std::iota(members.begin(), members.end(), hub_->base());
    const auto room = std::make_shared<SharedRoom>(hub_, std::move(memory), std::move(members));
    for (int64_t i = 0; i < here(); ++i)
      ranks_.push_back(std::make_unique<SharedRank>(room, first() - hub_->base() + i));
  }
  int64_t world_size() const override { return hub_->ranks(); }
  int64_t first() const override { return hub_->first(); }
  int64_t here() const override { return hub_->here(); }
  Communicator& rank(int64_t r) override { return *ranks_.at(static_cast<std::size_t>(r - first())); }
  const Communicator& rank(int64_t r) const override { return *ranks_.at(static_cast<std::size_t>(r - first())); }
  void abort(const std::string& reason) override { hub_->fail(reason); }
  /// What other processes have left cannot be taken up again: it stays failed.
  void reset() override {}

 private:
  std::shared_ptr<SharedHub> hub_;
  std::vector<std::unique_ptr<SharedRank>> ranks_;
};

// The first line of a file of the system; empty where there is none.
std::string line_of(const char* path) {
  std::string line;
  std::ifstream file(path);
  std::getline(file, line);
  return line;
}

std::string link_of(const char* path) {
  std::error_code none;
  return std::filesystem::read_symlink(path, none).string();
}

}  // namespace

std::string shared_memory_place() {
  return c10::str(line_of("/proc/sys/kernel/random/boot_id"), " ", link_of("/proc/self/ns/pid"), " ",
                  link_of("/proc/self/ns/net"), " user ", ::getuid());
}

SharedProcesses::SharedProcesses(c10::intrusive_ptr<c10d::Store> store, const OneHost& host, double limit_seconds,
                                 double silence_seconds)
    : store_(std::move(store)), host_(host), limit_seconds_(limit_seconds) {
  auto memory = meet("pulse", {SharedPulse::bytes(host_.processes)});
  pulse_ = std::make_shared<SharedPulse>(std::move(memory.front()), host_.process, host_.processes, silence_seconds);
  wait_for_ranks(*store_, "pulse/beats", host_.process, host_.processes, limit_seconds_);
  group_ = spread(1, {});
}

SharedProcesses::~SharedProcesses() = default;

std::unique_ptr<RankGroup> SharedProcesses::spread(int64_t here, const std::vector<std::shared_ptr<Turns>>& turns) {
  return std::move(spread_side_by_side(1, here, turns).front());
}

std::vector<std::unique_ptr<RankGroup>> SharedProcesses::spread_side_by_side(
    int64_t groups, int64_t here, const std::vector<std::shared_ptr<Turns>>& turns) {
  if (here < 1) throw InvalidArgument(c10::str("a process must have at least one rank, got ", here));
  const int64_t ranks = host_.processes * here;
  std::vector<std::size_t> bytes(static_cast<std::size_t>(groups), SharedRoom::bytes(ranks));
  bytes.push_back(SharedHub::bytes(ranks));
  // With the number in the name, processes that differ in it name one another instead of meeting.
  auto memory = meet(c10::str("group ", groups_++, " of ", here), bytes);
  const auto hub = std::make_shared<SharedHub>(std::move(memory.back()), host_, here, limit_seconds_, turns, pulse_);
  memory.pop_back();
  std::vector<std::unique_ptr<RankGroup>> made;
  for (auto& room : memory) made.push_back(std::make_unique<SharedGroup>(hub, std::move(room)));
  return made;
}

std::vector<SharedMemory> SharedProcesses::meet(const std::string& name, const std::vector<std::size_t>& bytes) {
  std::vector<SharedMemory> memory;
  if (host_.process == 0) {
    std::vector<std::string> addresses;
    for (const auto size : bytes) {
      memory.push_back(SharedMemory::make(size));
      addresses.push_back(memory.back().address());
    }
    store_->set(name, c10::Join("\n", addresses));
  } else {
    const auto text = store_->get_to_str(name);
    std::istringstream lines(text);
    for (std::string address; std::getline(lines, address);) memory.push_back(SharedMemory::open(address));
  }
  // The first keeps what it made until all have it.
  wait_for_ranks(*store_, name + "/here", host_.process, host_.processes, limit_seconds_);
  return memory;
}

}  // namespace tandem::comm
