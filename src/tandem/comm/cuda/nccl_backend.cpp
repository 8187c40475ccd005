// NCCL between the GPUs of one process, by way of LibTorch's c10d: the only file that needs the headers of CUDA and
// NCCL.
#include <c10/util/StringUtil.h>
#include <c10/util/intrusive_ptr.h>
#include <torch/csrc/cuda/nccl.h>

#include <chrono>
#include <torch/csrc/distributed/c10d/HashStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupNCCL.hpp>

#include "tandem/comm/device_backend.h"
#include "tandem/core/error.h"
#include "tandem/core/steady_seconds.h"

namespace tandem::comm {
namespace {

// Waiting for c10d's Work makes the current stream wait, not the host.
class NcclBackend final : public DeviceBackend {
 public:
  explicit NcclBackend(c10::intrusive_ptr<c10d::Backend> group) : group_(std::move(group)) {}

  void all_reduce(Tensor& tensor) override {
    std::vector<Tensor> tensors{tensor};
    group_->allreduce(tensors, c10d::AllreduceOptions())->wait();
  }
  void reduce_scatter(const Tensor& whole, Tensor& part) override {
    Tensor from = whole;
    group_->_reduce_scatter_base(part, from, c10d::ReduceScatterOptions())->wait();
  }
  void all_gather(const Tensor& part, Tensor& whole) override {
    Tensor from = part;
    group_->_allgather_base(whole, from, c10d::AllgatherOptions())->wait();
  }
  void broadcast(Tensor& tensor, int64_t root) override {
    std::vector<Tensor> tensors{tensor};
    c10d::BroadcastOptions options;
    options.rootRank = root;
    group_->broadcast(tensors, options)->wait();
  }

 private:
  c10::intrusive_ptr<c10d::Backend> group_;
};

// The sizes of c10d's classes depend on NCCL's header: with another than LibTorch's, making one would destroy memory.
void check_version() {
  const uint64_t theirs = torch::cuda::nccl::version();  // three numbers of 32, 16 and 16 bits
  const auto major = theirs >> 32, minor = theirs >> 16 & 0xffff, patch = theirs & 0xffff;
  if (major == NCCL_MAJOR && minor == NCCL_MINOR && patch == NCCL_PATCH) return;
  throw InvalidArgument(c10::str("gpu: libtandem_cuda was built with the headers of NCCL ", NCCL_MAJOR, ".", NCCL_MINOR,
                                 ".", NCCL_PATCH, ", this LibTorch with NCCL ", major, ".", minor, ".", patch,
                                 "; build with that one's nccl.h in -DCUDA_INCLUDE=<folder>"));
}

}  // namespace
}  // namespace tandem::comm

// See kMakeNcclBackends.
extern "C" __attribute__((visibility("default"))) void tandem_cuda_make_nccl_backends(
    int64_t ranks, double limit_seconds, std::vector<std::unique_ptr<tandem::comm::DeviceBackend>>& backends) {
  tandem::comm::check_version();
  const auto store = c10::make_intrusive<c10d::HashStore>();
  for (int64_t rank = 0; rank < ranks; ++rank) {
    auto options = c10d::ProcessGroupNCCL::Options::create();
    options->timeout = tandem::milliseconds_of(limit_seconds);
    backends.push_back(std::make_unique<tandem::comm::NcclBackend>(c10::make_intrusive<c10d::ProcessGroupNCCL>(
        store, static_cast<int>(rank), static_cast<int>(ranks), std::move(options))));
  }
}
