#pragma once
#include <mpi.h>

#include <chrono>
#include <torch/csrc/distributed/c10d/Store.hpp>
#include <torch/csrc/distributed/c10d/Work.hpp>
#include <vector>

#include "tandem/comm/mpi/mpi_session.h"
#include "tandem/core/tensor.h"

namespace tandem::comm {

/// The key in the ranks' store by which one says that it takes part no more: MPI has no connections that could be
/// closed.
inline constexpr const char* kMpiClosed = "mpi closed";

/// One request of MPI and the tensors that it reads and writes.
class MpiWork final : public c10d::Work {
 public:
  MpiWork(MpiSession& session, MPI_Request request, std::vector<Tensor> held, c10::intrusive_ptr<c10d::Store> store)
      : session_(session), request_(request), held_(std::move(held)), store_(std::move(store)) {}

  /// `target` gets the last tensor's elements, in its own type, at the end.
  void copy_result_to(const Tensor& target) { target_ = target; }

  /// MPI reads and writes the tensors no more.
  bool ended();
  /// wait returns, or throws, at once.
  bool isCompleted() override { return parted_ || ended(); }
  /// Throws PeerError at the limit, or when another rank has ended its part by then.
  bool wait(std::chrono::milliseconds limit) override;

 private:
  void take_result();

  MpiSession& session_;
  MPI_Request request_;
  std::vector<Tensor> held_;
  c10::intrusive_ptr<c10d::Store> store_;
  Tensor target_;
  bool ended_ = false, parted_ = false;
};

}  // namespace tandem::comm
