#pragma once
#include <exception>
#include <optional>

#include "tandem/data/loader.h"
#include "tandem/distribution/execution.h"

namespace tandem {

/// Serves a loader's batches and, where the execution wants to know it, tells it what comes after: the next batch then
/// travels to GPUs while one is computed. Else each batch is asked for when it is needed.
class LookAhead {
 public:
  LookAhead(data::Loader& loader, distribute::Execution& execution) : loader_(loader), execution_(execution) {}
  /// What was taken ahead goes back to a stream, for whoever reads on in it.
  ~LookAhead() { drop(); }
  LookAhead(const LookAhead&) = delete;
  LookAhead& operator=(const LookAhead&) = delete;

  /// As Loader::start_epoch: what was taken ahead is dropped.
  void start_epoch(int64_t epoch);
  /// As Loader::next. Throws what making this batch threw, not the one after it.
  std::optional<data::Batch> next();

 private:
  void take_one();
  void drop();

  data::Loader& loader_;
  distribute::Execution& execution_;
  bool taken_ = false;  // what follows is the next
  std::optional<data::Batch> batch_;
  std::exception_ptr failure_;
};

}  // namespace tandem
