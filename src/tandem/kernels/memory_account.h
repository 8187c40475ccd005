#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace tandem::kernels {

/// Memory that one thread may have. Blocks may be given back on any thread, and after the thread has ended: the account
/// stays until the last of them.
class MemoryAccount {
 public:
  static MemoryAccount* open(int64_t limit, std::string who) { return new MemoryAccount(limit, std::move(who)); }
  /// The thread takes nothing more.
  void close() { let_go(); }

  /// Throws InvalidArgument where `bytes` more are over the limit; `asked`: what they were asked for as.
  void check(int64_t bytes, std::size_t asked) const;
  /// A block of `bytes` is taken, or given back.
  void charge(int64_t bytes);
  void credit(int64_t bytes);

 private:
  MemoryAccount(int64_t limit, std::string who) : limit_(limit), who_(std::move(who)) {}
  ~MemoryAccount() = default;
  void let_go() {
    if (holders_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }

  const int64_t limit_;
  const std::string who_;
  std::atomic<int64_t> in_use_{0};
  std::atomic<int64_t> holders_{1};  // the thread, and blocks
};

}  // namespace tandem::kernels
