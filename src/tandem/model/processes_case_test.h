#pragma once
#include <cstdint>
#include <functional>
#include <vector>

#include "tandem/distribution/data_parallel.h"
#include "tandem/model/parity_case_test.h"

/// The parity suite's tasks over processes: threads of the test, each with a model and a communicator of its own.
namespace tandem::parity {

struct Grid {
  int64_t processes, devices;  // of each
};

/// A model by `build` for each process, made one after the other from one seed and compiled for DataParallel over all,
/// and then `act(model, process)` on all at once.
void on_grid(const Grid& grid, const std::function<Model()>& build, const CompileOptions& compile,
             const distribute::DataParallelOptions& options, const std::function<void(Model&, int64_t process)>& act);
/// The same for the strategy that `make` gives each process.
using MakeStrategy = std::function<distribute::Strategy(const distribute::ProcessGroup& group, const Devices& own)>;
void on_grid_with(const Grid& grid, const std::function<Model()>& build, const CompileOptions& compile,
                  const MakeStrategy& make, const std::function<void(Model&, int64_t process)>& act);

/// The same, where `run` runs what it is given as each process.
using AsProcess = std::function<void(const std::shared_ptr<comm::Processes>&)>;
void on_processes(const Grid& grid, const std::function<Model()>& build, const CompileOptions& compile,
                  const MakeStrategy& make, const std::function<void(Model&, int64_t process)>& act,
                  const std::function<void(const AsProcess&)>& run);

/// What each process gets from the task.
std::vector<Result> train(const Task& task, const Grid& grid, const distribute::DataParallelOptions& options = {});
std::vector<Result> train_with(const Task& task, const Grid& grid, const MakeStrategy& make);

/// A small classifier, how it is compiled, and rows for it.
Model two_layers();
CompileOptions by_adam();
const Tensor& some_x();
const Tensor& some_y();

/// Weights, histories, evaluations and predictions are the same bits.
void expect_same_bits(const Result& got, const Result& want);

}  // namespace tandem::parity
