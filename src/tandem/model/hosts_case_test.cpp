#include "tandem/model/hosts_case_test.h"

#include "tandem/testing/thread_hosts.h"

namespace tandem::parity {

std::vector<Result> train_on_hosts(const Task& task, const std::vector<int64_t>& begins, const MakeStrategy& make) {
  std::vector<Result> results(static_cast<std::size_t>(begins.back()));
  on_processes(
      {begins.back(), 1}, task.build, task.compile, make,
      [&](Model& model, int64_t process) {
        results[static_cast<std::size_t>(process)] = train(task, model);
        model = Model();  // while the others can still be reached
      },
      [&](const AsProcess& as) { testing::run_hosts(begins, as); });
  return results;
}

}  // namespace tandem::parity
