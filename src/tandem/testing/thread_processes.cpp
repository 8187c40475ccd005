#include "tandem/testing/thread_processes.h"

#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "tandem/comm/local_group.h"
#include "tandem/testing/on_threads.h"

namespace tandem::testing {
namespace {

using Turns = std::vector<std::shared_ptr<comm::Turns>>;

// One process's part of a group that all share.
class PartOfGroup final : public comm::RankGroup {
 public:
  PartOfGroup(std::shared_ptr<comm::LocalGroup> whole, int64_t first, int64_t here)
      : whole_(std::move(whole)), first_(first), here_(here) {}
  int64_t world_size() const override { return whole_->world_size(); }
  int64_t first() const override { return first_; }
  int64_t here() const override { return here_; }
  comm::Communicator& rank(int64_t r) override { return whole_->rank(r); }
  const comm::Communicator& rank(int64_t r) const override { return std::as_const(*whole_).rank(r); }
  void abort(const std::string& reason) override { whole_->abort(reason); }
  /// What is left of a job that lost a process stays so.
  void reset() override {}

 private:
  std::shared_ptr<comm::LocalGroup> whole_;
  const int64_t first_, here_;
};

// What the processes share.
struct Job {
  Job(int64_t n, double limit) : size(n), limit_seconds(limit), processes(n, limit) {}

  const int64_t size;
  const double limit_seconds;
  comm::LocalGroup processes;
  std::mutex mutex;
  // By the number of the spread.
  std::map<int64_t, std::vector<Turns>> turns;
  std::map<int64_t, std::shared_ptr<comm::LocalGroup>> groups;
};

class ThreadProcesses final : public comm::Processes {
 public:
  ThreadProcesses(std::shared_ptr<Job> job, int64_t own) : job_(std::move(job)), own_(own) {}
  comm::Communicator& rank() override { return job_->processes.rank(own_); }
  std::unique_ptr<comm::RankGroup> spread(int64_t here, const Turns& turns) override {
    const int64_t number = spreads_++;
    {
      const std::lock_guard lock(job_->mutex);
      auto& all = job_->turns[number];
      all.resize(static_cast<std::size_t>(job_->size));
      all[static_cast<std::size_t>(own_)] = turns;
    }
    rank().barrier();
    const std::lock_guard lock(job_->mutex);
    auto& group = job_->groups[number];
    if (!group) {
      Turns all;
      for (const auto& its : job_->turns[number]) all.insert(all.end(), its.begin(), its.end());
      group = std::make_shared<comm::LocalGroup>(job_->size * here, job_->limit_seconds, all);
    }
    return std::make_unique<PartOfGroup>(group, own_ * here, here);
  }
  void abort(const std::string& reason) override { job_->processes.abort(reason); }

 private:
  std::shared_ptr<Job> job_;
  const int64_t own_;
  int64_t spreads_ = 0;
};

}  // namespace

void run_processes(int64_t n, const std::function<void(std::shared_ptr<comm::Processes>)>& act, double limit_seconds) {
  const auto job = std::make_shared<Job>(n, limit_seconds);
  on_threads(
      n, [&](int64_t p) { act(std::make_shared<ThreadProcesses>(job, p)); },
      [&](const std::string& why) {
        job->processes.abort(why);
        const std::lock_guard lock(job->mutex);
        for (const auto& [number, group] : job->groups) group->abort(why);
      });
}

}  // namespace tandem::testing
