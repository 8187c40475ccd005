// The only file that needs Gloo's headers. They are those of Debian, the library is the one within LibTorch: nothing of
// Gloo's is made or taken apart here, so that classes of another shape do no harm.
#define USE_C10D_GLOO
#include "tandem/comm/gloo_backend.h"

#include <gloo/context.h>

#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>

namespace tandem::comm {

namespace {

class ClosableGloo final : public c10d::ProcessGroupGloo {
 public:
  using ProcessGroupGloo::ProcessGroupGloo;
  void close() {
    for (const auto& context : contexts_) context->closeConnections();
  }
};

}  // namespace

ProcessBackend make_gloo_backend(const c10::intrusive_ptr<c10d::Store>& store, int64_t rank, int64_t ranks,
                                 const std::string& host, std::chrono::milliseconds limit) {
  auto options = c10d::ProcessGroupGloo::Options::create(limit);
  options->devices.push_back(c10d::ProcessGroupGloo::createDeviceForHostname(host));
  const auto gloo =
      c10::make_intrusive<ClosableGloo>(store, static_cast<int>(rank), static_cast<int>(ranks), std::move(options));
  return {gloo, [gloo] { gloo->close(); }, host};
}

}  // namespace tandem::comm
