#include "tandem/comm/shared_hub.h"

#include <c10/util/StringUtil.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <thread>

#include "tandem/core/activity.h"
#include "tandem/core/device.h"
#include "tandem/core/error.h"

namespace tandem::comm {
namespace {

enum Failure : uint32_t { none, being_written, there };

}  // namespace

struct alignas(64) SharedHub::Head {
  std::atomic<uint32_t> failure;
  char reason[1020];
};

std::size_t SharedHub::bytes(int64_t ranks) {
  return sizeof(Head) + static_cast<std::size_t>(ranks) * 64;  // a line for each bell
}

SharedHub::SharedHub(SharedMemory memory, const OneHost& host, int64_t here, double limit_seconds,
                     const std::vector<std::shared_ptr<Turns>>& turns, std::shared_ptr<SharedPulse> pulse)
    : memory_(std::move(memory)),
      host_(host),
      here_(here),
      limit_seconds_(limit_seconds),
      may_spin_(ranks() <= available_cores()),
      pulse_(std::move(pulse)) {
  if (!turns.empty() && static_cast<int64_t>(turns.size()) != here)
    throw InvalidArgument(c10::str("must get one Turns for each of ", here, " ranks, got ", turns.size()));
  for (int64_t i = 0; i < here; ++i) {
    auto own = turns.empty() ? nullptr : turns[static_cast<std::size_t>(i)];
    seats_.push_back(std::make_unique<SharedSeat>(*this, first() + i, std::move(own)));
  }
}

SharedHub::~SharedHub() = default;

SharedHub::Head& SharedHub::head() const { return *reinterpret_cast<Head*>(memory_.data()); }

SharedBell& SharedHub::bell(int64_t rank) const {
  return *reinterpret_cast<SharedBell*>(memory_.data() + sizeof(Head) + static_cast<std::size_t>(rank - base()) * 64);
}

bool SharedHub::failed() const { return head().failure.load(std::memory_order_acquire) != Failure::none; }

void SharedHub::fail(const std::string& reason) {
  auto& own = head();
  uint32_t before = Failure::none;
  if (own.failure.compare_exchange_strong(before, Failure::being_written)) {
    const auto length = std::min(reason.size(), sizeof(own.reason) - 1);
    std::memcpy(own.reason, reason.data(), length);
    own.reason[length] = 0;
    own.failure.store(Failure::there, std::memory_order_release);
  }
  for (int64_t r = 0; r < ranks(); ++r) bell(base() + r).ring();
}

std::string SharedHub::reason() const {
  const auto& own = head();
  // Who writes may be killed in the midst of it.
  for (int tries = 0; own.failure.load(std::memory_order_acquire) == Failure::being_written; ++tries) {
    if (tries > 1000) return "another rank failed";
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return {own.reason, ::strnlen(own.reason, sizeof(own.reason))};
}

std::string SharedHub::name_of(int64_t process) const {
  const int64_t rank = base() + process * here_;
  return here_ == 1 ? c10::str("rank ", rank) : c10::str("the process of ranks ", rank, " to ", rank + here_ - 1);
}

void SharedHub::look_for_lost() {
  if (const auto lost = pulse_->find_lost()) fail(c10::str(name_of(lost->process), " ", lost->why));
}

std::string SharedHub::last_reports() const {
  std::string text;
  for (int64_t p = 0; p < host_.processes; ++p) {
    const auto report = pulse_->last_report(p);
    if (p == host_.process || report.starts_with(tandem::name_of(Activity::exchange))) continue;
    text += c10::str("; ", name_of(p), " last reported: ", report);
  }
  return text;
}

void SharedSeat::throw_failed(c10::function_ref<std::string()> late) {
  const auto own = c10::str("rank ", rank(), ": "), reason = hub_.reason();
  if (reason.starts_with(own)) throw PeerError(reason);
  const auto step = reported_step();
  throw PeerError(c10::str(own, late(), step > 0 ? c10::str(" in step ", step) : "", ": ", reason));
}

bool SharedSeat::sleep_until_rung(uint64_t heard, Clock::time_point deadline) {
  constexpr auto kLook = std::chrono::milliseconds(100);
  while (true) {
    const auto now = Clock::now();
    if (now >= deadline) return false;
    auto& own = hub_.bell(rank());
    own.sleep(static_cast<uint32_t>(heard), std::min(deadline, now + kLook));
    if (own.rings() != heard) return true;
    hub_.look_for_lost();
    if (hub_.failed()) return true;
  }
}

}  // namespace tandem::comm
