#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tandem/core/tensor.h"
#include "tandem/servers/server_client.h"
#include "tandem/servers/server_plan.h"

namespace tandem::servers {

/// Looks at the parameters of a job's servers while its workers train, and is none of them: nobody waits for it, it may
/// come late and leave at any time. To be used by one thread, except abort. Waits end as a ServerClient's.
class ParameterWatch {
 public:
  /// `options.worker` is not used. Throws InvalidArgument as ServerClient.
  explicit ParameterWatch(const ClientOptions& options);
  ~ParameterWatch();
  ParameterWatch(const ParameterWatch&) = delete;
  ParameterWatch& operator=(const ParameterWatch&) = delete;

  /// Waits at most options.begin_seconds for the servers themselves, not for their workers.
  void begin();
  /// Asks for the parameters at update `updates`, or a later one, or when the workers are done; returns at once.
  void ask(int64_t updates);
  struct Look {
    ServerPlan plan;
    Tensor parameters = {};               // (plan.elements,)
    std::vector<Tensor> statistics = {};  // what worker 0 has said last of its moving averages, float64 (n,) each
    int64_t updates = 0;                  // of the server that has made the fewest
    bool done = false;                    // the workers are: nothing will change
  };
  /// Waits for what was asked. In mode sync all servers show the same update, asking again where one was further. With
  /// servers on every host it is the first one's.
  Look take();
  /// The wait that it is in, or comes to next, ends with PeerError giving `reason`. From any thread.
  void abort(const std::string& reason);

 private:
  class Body;
  std::unique_ptr<Body> body_;
};

}  // namespace tandem::servers
