#pragma once
#include <cstdint>
#include <memory>
#include <string>

#include "tandem/comm/communicator.h"
#include "tandem/comm/processes.h"

namespace tandem::distribute {

/// The ranks of a mesh of data x tensor that this process has, and how those of a tensor group speak with one another.
/// Rank r of the mesh is part r % tensor of replica r / tensor.
class TensorRanks {
 public:
  virtual ~TensorRanks() = default;
  /// This process has parts [first_part(), first_part() + parts()) of each of its replicas.
  virtual int64_t first_part() const = 0;
  virtual int64_t parts() const = 0;
  virtual int64_t replicas() const = 0;
  /// Of part `part` of this process's replica `replica`, in its tensor group; to be used by its thread.
  virtual comm::Communicator& rank(int64_t replica, int64_t part) = 0;
  virtual const comm::Communicator& rank(int64_t replica, int64_t part) const = 0;
  /// Ends the waits of all ranks.
  virtual void abort(const std::string& reason) = 0;
  /// Makes them usable again after abort, where that can be.
  virtual void reset() = 0;
  /// All of the mesh; null where this one has it all.
  virtual std::shared_ptr<comm::Processes> processes() const { return nullptr; }
  /// Those with the same part of other replicas; null where there are none.
  virtual std::shared_ptr<comm::Processes> with_same_part() const { return nullptr; }
};

/// All ranks are threads of this process.
std::unique_ptr<TensorRanks> tensor_ranks_of_threads(int64_t data, int64_t tensor);
/// Each process is one rank. Collective.
std::unique_ptr<TensorRanks> tensor_ranks_of_processes(std::shared_ptr<comm::Processes> processes, int64_t tensor);

}  // namespace tandem::distribute
