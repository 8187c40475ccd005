#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tandem/comm/communicator.h"
#include "tandem/core/tensor.h"

namespace tandem::distribute {

/// Averages the gradients of a module's parameters over the ranks while backward runs, as PyTorch's
/// DistributedDataParallel (Li et al. 2020): parameters are put into buckets, the last ones first, and a bucket is
/// exchanged when all of its gradients are there; all are there when backward returns. A parameter that this rank did
/// not use counts as zero; one that no rank used gets no gradient.
class ModuleGradients {
 public:
  using Named = std::vector<std::pair<std::string, Tensor>>;

  /// `parameters`: leaves on the CPU, dense; those that require no gradient are left alone.
  ModuleGradients(const Named& parameters, comm::Communicator& ranks, int64_t bucket_bytes);
  /// Takes its hooks off.
  ~ModuleGradients();
  ModuleGradients(const ModuleGradients&) = delete;
  ModuleGradients& operator=(const ModuleGradients&) = delete;

  /// Whether backward exchanges; off, gradients add up on each rank until a backward that does.
  void set_exchange(bool on) { exchange_ = on; }
  bool exchange() const { return exchange_; }
  std::size_t buckets() const { return buckets_.size(); }

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

  comm::Communicator& ranks_;
  std::vector<Tensor> parameters_, places_;  // places_: each one's part of its bucket, in its shape
  std::vector<std::size_t> bucket_of_;
  std::vector<Bucket> buckets_;
  Tensor used_;  // by parameter: how many ranks have a gradient of it
  comm::Pending used_pending_;
  std::size_t next_ = 0;  // the bucket that starts next: all ranks keep this order
  bool exchange_ = true;
  std::weak_ptr<char> backward_;  // what the backward that runs holds, until its end or until it throws
};

}  // namespace tandem::distribute
