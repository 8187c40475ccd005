#pragma once
#include <memory>
#include <vector>

#include "tandem/comm/local_group.h"
#include "tandem/distribution/execution.h"
#include "tandem/distribution/replica.h"
#include "tandem/distribution/replica_threads.h"

namespace tandem::distribute {

struct SharedStep;

/// Replicas as threads of this process, one or many: what SingleDevice and Mirrored bind a program to.
class Replicated final : public Execution {
 public:
  Replicated(const Program& program, const Devices& devices, int64_t threads_per_device);
  ~Replicated() override;

  StepResult train_step(const data::Batch& batch, const RandomStream& random, double rate,
                        const Observer& observer) override;
  StepResult test_step(const data::Batch& batch, const Observer& observer) override;
  Tensors predict_step(const Tensors& x) override;
  void load() override;
  void store() override;
  int64_t steps() const override { return steps_; }
  int64_t iterations() const override { return iterations_; }
  StateDict optimizer_state() override;
  void set_optimizer_state(const StateDict& state) override;
  const Devices& devices() const override { return devices_; }
  std::vector<int64_t> division(int64_t rows) const override;
  std::vector<int64_t> rows_trained() const override;
  int64_t bytes_sent(int64_t rank) const override;
  TimeShares time_shares(int64_t rank) const override;
  int64_t threads_per_device() const override { return threads_.threads_per_device(); }

 private:
  // Where each replica's rows begin in `batch`; one more entry than there are replicas.
  std::vector<int64_t> edges(const data::Batch& batch) const;
  std::vector<uint32_t> master_versions() const;
  void average_statistics();
  StepResult step(const data::Batch& batch, const SharedStep& shared);
  void run(const std::function<void(int64_t rank, Replica&)>& work);

  Program program_;
  Devices devices_;
  comm::LocalGroup group_;
  std::vector<Weight> statistics_;  // not trainable by nature: moving averages, which differ by replica
  std::vector<std::unique_ptr<Replica>> replicas_;
  std::vector<Weight> masters_;
  std::vector<uint32_t> loaded_versions_;  // of the masters, when replicas and they were last the same
  int64_t steps_ = 0, iterations_ = 0;
  bool ahead_ = false;      // replicas have learned what the masters do not know yet
  ReplicaThreads threads_;  // last: its threads end before what they use
};

}  // namespace tandem::distribute
