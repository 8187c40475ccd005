#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tandem/distribution/process_group.h"
#include "tandem/distribution/row_shares.h"
#include "tandem/distribution/strategy.h"

namespace tandem::distribute {

struct ParameterServerOptions {
  /// Processes whose devices are workers, as init_process_group() gives them; none: this one alone, or in modes async
  /// and stale those of the job, which need not meet.
  std::optional<ProcessGroup> group = {};
  Devices workers = {};  // of this process, CPUs; empty: cpu:<local rank>. All processes must have as many
  /// Servers in this process, as threads, each with a range of the parameters; not to be given where there are others
  /// by `addresses` or the cluster.
  int64_t servers = 1;
  /// "host:port" of servers in processes of their own, in one order for all; empty: those that the cluster names
  /// (TF_CONFIG's "ps", --ps_hosts).
  std::vector<std::string> addresses = {};
  /// Not empty: topology per-host. Each server has all parameters, and workers of its own: those on its host by its
  /// name, or neighbours, as many each. The servers keep their parameters equal by "all-reduce", "ring" or
  /// "async-scatter-sum" (servers::ServerSync), after every `sync_every` updates of their own, or with 0 at the end of
  /// epochs alone.
  std::string server_sync = {};
  int64_t sync_every = 1;
  /// With the key that these servers have (tandem serve-parameters --new-key); empty: the job's (TANDEM_JOB_KEY). Not
  /// needed on loopback.
  std::string key_file = {};
  int64_t threads_per_device = 0;  // 0: TANDEM_THREADS_PER_DEVICE, else this process's share of the cores / workers
  /// "sync": all workers' gradients of a batch make one update. "async": each worker's when it comes. "stale": as
  /// async, but no gradient is applied that is more than `staleness` updates old.
  std::string mode = "sync";
  int64_t staleness = -1;  // must be given in mode stale, and in no other
  /// In mode sync: so many of the slowest workers' gradients are left out of each update. 0: none, all wait for all.
  int64_t backup_workers = 0;
  // In mode sync, as in MirroredOptions.
  Shares shares = {};
  int64_t fixed_order = 0;
  /// Gradients and parameters travel in messages of this size at most.
  int64_t bucket_bytes = 1 << 20;
};

/// Workers that compute gradients, and servers that have the parameters and the optimizer's state: a worker pushes the
/// gradients of its rows, while backward makes those of earlier layers, and gets the parameters that are made of them
/// (Li et al. 2014).
///
/// sync: each batch is divided over the workers and the servers add up in the workers' order: the numbers of Mirrored,
/// which are those of one device, and with fixed_order its bits.
///
/// sync with b backup workers of N (Chen et al. 2016): each batch is cut into N - b parts, which go to whoever is free.
/// An update is the mean over the rows of the N - b gradients that come first, so that it has a batch's rows; one that
/// comes after it is dropped, and its worker goes on with the newest parameters. So nobody waits for the b slowest. A
/// pass gives each row to a worker once; dropped ones are not made up for: history.dropped_rows() counts them. The last
/// update of a pass is made of what is left. Numbers differ from run to run, with who comes first.
///
/// async and stale: a batch goes whole to whoever is free; workers do not wait for one another. In async it makes an
/// update of its own, so that an epoch has as many updates as on one device and a learning rate means the same. A
/// gradient is as many updates old as were made since its parameters were handed out; history.max_staleness() says how
/// old one got. In mode stale what would make another worker's gradient too old is kept, and applied with it as the
/// mean by rows (as if the batches had been one). Batch normalisation uses the worker's batch, and the moving averages
/// are averaged by rows. Schedules go by the servers' count of updates. Gradients cannot be accumulated.
///
/// Workers may be processes, whose servers must then be processes, too. In mode sync they train as DataParallel's. In
/// the others, and with backup workers, each process takes batches from one pile, which the first server keeps: what
/// one had that is lost, others make; processes may come late, and leave. Losses, metrics and moving averages are
/// brought together at the end of an epoch, and each process evaluates all validation data by itself. steps_per_epoch
/// are those of all together; of a BatchGenerator each process takes batches of its own.
///
/// With server_sync an update is made of the rows of one server's workers. In sync these are a part of each batch, by
/// whose rows the gradient's mean is taken; in the others a batch is an update on one server. At the end of an epoch
/// the servers average in any case, so that all processes have the same weights. Momentum and other slots are each
/// server's own; the first one's are saved. fixed_order is refused.
///
/// Weights of Embedding layers move as the rows that a batch touches, unless all have a gradient: by a regularizer, or
/// where they are read in another way. The numbers are the same.
///
/// Clipping is done by the servers: by value and by a weight's norm on any number of them, by the global norm on one,
/// since no other sees it whole. Throws InvalidArgument on that, on optimizers that scale the loss, on constraints
/// that are none of Keras's, on layers in DeviceScopes, on GPUs, and on options that do not fit together.
struct ParameterServer : Strategy {
  explicit ParameterServer(ParameterServerOptions options = {});
};

}  // namespace tandem::distribute
