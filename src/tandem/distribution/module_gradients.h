#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tandem/comm/communicator.h"
#include "tandem/core/tensor.h"

namespace tandem::distribute {

class RanksWithData;
class StatisticsExchange;

/// Averages the gradients of a module's parameters over the ranks while backward runs, as PyTorch's
/// DistributedDataParallel (Li et al. 2020): parameters are put into buckets, the last ones first, and a bucket is
/// exchanged when all of its gradients are there; all are there when backward returns. A parameter that this rank did
/// not use counts as zero; one that no rank used gets no gradient.
class ModuleGradients {
 public:
  using Named = std::vector<std::pair<std::string, Tensor>>;

  /// `parameters`: leaves on the CPU, dense; those that require no gradient are left alone. With `all_used` backward
  /// throws InvalidArgument, on all ranks, that names the parameters that a rank did not use.
  ModuleGradients(const Named& parameters, comm::Communicator& ranks, int64_t bucket_bytes, bool all_used = false);
  /// Takes its hooks off.
  ~ModuleGradients();
  ModuleGradients(const ModuleGradients&) = delete;
  ModuleGradients& operator=(const ModuleGradients&) = delete;

  /// Whether backward exchanges; off, gradients add up on each rank until a backward that does.
  void set_exchange(bool on) { exchange_ = on; }
  bool exchange() const { return exchange_; }
  std::size_t buckets() const { return buckets_.size(); }

  /// While set, a backward pass that exchanges says so first, and the sum is divided by the number of all ranks, or,
  /// with `by_those_with_data`, of those that have data. Null: all ranks have as many batches.
  /// `statistics`: that of the module's SyncBatchNorms, or null.
  void set_ranks_with_data(RanksWithData* ranks, bool by_those_with_data, StatisticsExchange* statistics);
  RanksWithData* ranks_with_data() const { return with_data_; }
  /// A rank without data takes part in the others' exchange with zeros. Its own gradients are gone afterwards.
  void take_part();
  /// True from the first gradient of a backward pass that exchanges until its end; it stays true where that threw.
  bool unfinished() const { return unfinished_; }
  /// Ends the exchange of a backward pass that threw, so that the others do not wait; theirs throw PeerError.
  void give_up();

 private:
  struct Bucket {
    Tensor flat;
    std::vector<std::size_t> members;
    std::string what;  // for messages
    std::size_t missing = 0;
    comm::Pending pending;
  };

  void ready(std::size_t i);
  void begin();
  void take(std::size_t i);
  void start_ready();
  void finish();
  void start_used();
  void wait_for_all();
  // The lowest rank that gave its pass up, or -1.
  int64_t gave_up() const;
  void check_all_used(int64_t ranks) const;

  comm::Communicator& ranks_;
  std::vector<std::string> names_;
  std::vector<Tensor> parameters_, places_;  // places_: each one's part of its bucket, in its shape
  std::vector<std::size_t> bucket_of_;
  std::vector<Bucket> buckets_;
  Tensor used_;  // by parameter: how many ranks have a gradient of it; then by rank: 1 where it gave the pass up
  comm::Pending used_pending_;
  std::size_t next_ = 0;  // the bucket that starts next: all ranks keep this order
  bool all_used_, exchange_ = true, unfinished_ = false, by_those_with_data_ = false;
  RanksWithData* with_data_ = nullptr;
  StatisticsExchange* statistics_ = nullptr;
  std::weak_ptr<char> backward_;  // what the backward that runs holds, until its end or until it throws
};

}  // namespace tandem::distribute
