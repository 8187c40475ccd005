#pragma once
#include <exception>
#include <functional>
#include <thread>
#include <vector>

#include "tandem/comm/device_group.h"
#include "tandem/core/device_stream.h"

namespace tandem::testing {

/// Runs `act(rank)` for all ranks of `group` at once, each in the scope of a stream of its own, and returns what each
/// threw. `abort_on_failure`: when one throws, the others' collectives end.
inline std::vector<std::exception_ptr> run_on(comm::DeviceGroup& group, const std::vector<c10::Device>& devices,
                                              const std::function<void(comm::Communicator&)>& act,
                                              bool abort_on_failure = true) {
  std::vector<std::exception_ptr> thrown(devices.size());
  std::vector<std::thread> threads;
  for (std::size_t r = 0; r < devices.size(); ++r) {
    threads.emplace_back([&, r] {
      const DeviceStream stream(devices[r]);
      const StreamScope scope(stream);
      try {
        act(group.rank(static_cast<int64_t>(r)));
      } catch (const std::exception& error) {
        thrown[r] = std::current_exception();
        if (abort_on_failure) group.abort(error.what());
      }
      stream.synchronize();
    });
  }
  for (auto& thread : threads) thread.join();
  return thrown;
}

}  // namespace tandem::testing
