#include "tandem/comm/backend_processes.h"

#include <c10/util/StringUtil.h>

#include <numeric>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>

#include "tandem/core/error.h"
#include "tandem/core/steady_seconds.h"

namespace tandem::comm {
namespace {

class OneRank final : public RankGroup {
 public:
  explicit OneRank(std::unique_ptr<ProcessRank> rank) : rank_(std::move(rank)) {}
  int64_t world_size() const override { return rank_->world_size(); }
  int64_t first() const override { return rank_->rank(); }
  int64_t here() const override { return 1; }
  Communicator& rank(int64_t) override { return *rank_; }
  const Communicator& rank(int64_t) const override { return *rank_; }
  void abort(const std::string& reason) override { rank_->abort(reason); }
  /// Connections that are closed stay so.
  void reset() override {}

 private:
  std::unique_ptr<ProcessRank> rank_;
};

}  // namespace

BackendProcesses::BackendProcesses(c10::intrusive_ptr<c10d::Store> store, int64_t rank, int64_t ranks, Options options,
                                   ProcessRank::MakeBackend make_backend)
    : store_(std::move(store)), own_(rank), options_(std::move(options)), make_backend_(std::move(make_backend)) {
  if (options_.numbers.empty()) {
    options_.numbers.resize(static_cast<std::size_t>(ranks));
    std::iota(options_.numbers.begin(), options_.numbers.end(), 0);
  }
  pulse_ = std::make_unique<StorePulse>(*store_, own_, options_.numbers, options_.silence_seconds);
  rank_ = join(store_, own_, options_.numbers);
}

std::unique_ptr<ProcessRank> BackendProcesses::join(const c10::intrusive_ptr<c10d::Store>& store, int64_t own,
                                                    const std::vector<int64_t>& numbers) const {
  return std::make_unique<ProcessRank>(store, own, static_cast<int64_t>(numbers.size()),
                                       milliseconds_of(options_.limit_seconds), make_backend_, numbers,
                                       [this] { return pulse_->silent(); });
}

std::unique_ptr<RankGroup> BackendProcesses::spread(int64_t here,
                                                    const std::vector<std::shared_ptr<Turns>>& /*turns*/) {
  if (here != 1) throw InvalidArgument(c10::str("processes: each must have one rank, got ", here));
  return std::make_unique<OneRank>(
      join(c10::make_intrusive<c10d::PrefixStore>(c10::str("spread ", groups_++), store_), own_, options_.numbers));
}

}  // namespace tandem::comm
