#pragma once
#include <cstdint>
#include <functional>
#include <string>

namespace tandem::testing {

/// act(0) ... act(n - 1) at once, a thread each; returns when all have ended, and throws what was thrown first.
/// `failed`: is given the message of each that throws, on its thread, so that the others can be woken.
void on_threads(int64_t n, const std::function<void(int64_t)>& act,
                const std::function<void(const std::string&)>& failed = {});

}  // namespace tandem::testing
