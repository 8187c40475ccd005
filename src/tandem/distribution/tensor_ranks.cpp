#include "tandem/distribution/tensor_ranks.h"

#include <utility>
#include <vector>

#include "tandem/comm/local_group.h"
#include "tandem/core/error.h"

namespace tandem::distribute {
namespace {

constexpr double kGroupLimitSeconds = 600;  // that a rank waits for the others in one call

class ThreadRanks final : public TensorRanks {
 public:
  ThreadRanks(int64_t data, int64_t tensor) : tensor_(tensor) {
    for (int64_t d = 0; d < data; ++d)
      groups_.push_back(std::make_unique<comm::LocalGroup>(tensor, kGroupLimitSeconds));
  }
  int64_t first_part() const override { return 0; }
  int64_t parts() const override { return tensor_; }
  int64_t replicas() const override { return static_cast<int64_t>(groups_.size()); }
  comm::Communicator& rank(int64_t replica, int64_t part) override {
    return groups_[static_cast<std::size_t>(replica)]->rank(part);
  }
  const comm::Communicator& rank(int64_t replica, int64_t part) const override {
    return std::as_const(*groups_[static_cast<std::size_t>(replica)]).rank(part);
  }
  void abort(const std::string& reason) override {
    for (auto& group : groups_) group->abort(reason);
  }
  void reset() override {
    for (auto& group : groups_) group->reset();
  }

 private:
  const int64_t tensor_;
  std::vector<std::unique_ptr<comm::LocalGroup>> groups_;  // by replica
};

// One rank a process, of those that a communicator has.
class OneRank final : public comm::RankGroup {
 public:
  OneRank(std::unique_ptr<comm::Communicator> rank, std::shared_ptr<comm::Processes> all)
      : all_(std::move(all)), rank_(std::move(rank)) {}
  int64_t world_size() const override { return rank_->world_size(); }
  int64_t first() const override { return rank_->rank(); }
  int64_t here() const override { return 1; }
  comm::Communicator& rank(int64_t) override { return *rank_; }
  const comm::Communicator& rank(int64_t) const override { return *rank_; }
  void abort(const std::string& reason) override { all_->abort(reason); }
  void reset() override {}  // what is left of a job that lost a process stays so

 private:
  std::shared_ptr<comm::Processes> all_;
  std::unique_ptr<comm::Communicator> rank_;
};

// Some of the processes of a job.
class SomeProcesses final : public comm::Processes {
 public:
  SomeProcesses(std::shared_ptr<comm::Processes> all, std::shared_ptr<comm::RankGroup> ranks,
                const std::vector<int64_t>& which)
      : all_(std::move(all)), ranks_(std::move(ranks)), which_(which), rank_(subgroup()) {}
  comm::Communicator& rank() override { return *rank_; }
  std::unique_ptr<comm::RankGroup> spread(int64_t here, const std::vector<std::shared_ptr<comm::Turns>>&) override {
    if (here != 1) throw InternalError("mesh over processes: each must have one rank");
    return std::make_unique<OneRank>(subgroup(), all_);
  }
  void abort(const std::string& reason) override { all_->abort(reason); }

 private:
  std::unique_ptr<comm::Communicator> subgroup() { return ranks_->rank(ranks_->first()).subgroup(which_); }

  std::shared_ptr<comm::Processes> all_;
  std::shared_ptr<comm::RankGroup> ranks_;
  std::vector<int64_t> which_;
  std::unique_ptr<comm::Communicator> rank_;
};

class ProcessRanks final : public TensorRanks {
 public:
  ProcessRanks(std::shared_ptr<comm::Processes> processes, int64_t tensor)
      : processes_(std::move(processes)), ranks_(processes_->spread(1)) {
    const int64_t own = ranks_->first(), data = ranks_->world_size() / tensor;
    part_ = own % tensor;
    std::vector<int64_t> group, same_part;
    for (int64_t t = 0; t < tensor; ++t) group.push_back(own - part_ + t);
    for (int64_t d = 0; d < data; ++d) same_part.push_back(d * tensor + part_);
    rank_ = ranks_->rank(own).subgroup(group);
    if (data > 1) same_part_ = std::make_shared<SomeProcesses>(processes_, ranks_, same_part);
  }
  int64_t first_part() const override { return part_; }
  int64_t parts() const override { return 1; }
  int64_t replicas() const override { return 1; }
  comm::Communicator& rank(int64_t, int64_t) override { return *rank_; }
  const comm::Communicator& rank(int64_t, int64_t) const override { return *rank_; }
  void abort(const std::string& reason) override {
    ranks_->abort(reason);
    processes_->abort(reason);
  }
  void reset() override {}
  std::shared_ptr<comm::Processes> processes() const override { return processes_; }
  std::shared_ptr<comm::Processes> with_same_part() const override { return same_part_; }

 private:
  std::shared_ptr<comm::Processes> processes_;
  std::shared_ptr<comm::RankGroup> ranks_;
  int64_t part_ = 0;
  std::unique_ptr<comm::Communicator> rank_;
  std::shared_ptr<comm::Processes> same_part_;
};

}  // namespace

std::unique_ptr<TensorRanks> tensor_ranks_of_threads(int64_t data, int64_t tensor) {
  return std::make_unique<ThreadRanks>(data, tensor);
}

std::unique_ptr<TensorRanks> tensor_ranks_of_processes(std::shared_ptr<comm::Processes> processes, int64_t tensor) {
  return std::make_unique<ProcessRanks>(std::move(processes), tensor);
}

}  // namespace tandem::distribute
