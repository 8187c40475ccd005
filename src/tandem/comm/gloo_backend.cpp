// The only file that needs Gloo's headers. They are those of Debian, the library is the one within LibTorch: nothing of
// Gloo's is made or taken apart here, so that classes of another shape do no harm.
#define USE_C10D_GLOO
#include "tandem/comm/gloo_backend.h"

#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>

namespace tandem::comm {

c10::intrusive_ptr<c10d::Backend> make_gloo_backend(const c10::intrusive_ptr<c10d::Store>& store, int64_t rank,
                                                    int64_t ranks, const std::string& host,
                                                    std::chrono::milliseconds limit) {
  auto options = c10d::ProcessGroupGloo::Options::create(limit);
  options->devices.push_back(c10d::ProcessGroupGloo::createDeviceForHostname(host));
  return c10::make_intrusive<c10d::ProcessGroupGloo>(store, static_cast<int>(rank), static_cast<int>(ranks),
                                                     std::move(options));
}

}  // namespace tandem::comm
