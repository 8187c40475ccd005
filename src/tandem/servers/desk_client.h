#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tandem/servers/server_client.h"
#include "tandem/servers/work_desk.h"

namespace tandem::servers {

/// A process's side of the WorkDesk of a job, which its first server keeps. To be used by one thread. Waits end as a
/// ServerClient's.
class DeskClient {
 public:
  /// `options.worker`: the process's place among the others.
  explicit DeskClient(ClientOptions options);
  /// Says that it leaves.
  ~DeskClient();
  DeskClient(const DeskClient&) = delete;
  DeskClient& operator=(const DeskClient&) = delete;

  struct Dealt {
    Deal deal = Deal::over;
    int64_t batch = 0;
  };
  /// As WorkDesk's.
  Dealt take(int64_t pass, int64_t batches, const std::vector<int64_t>& done, bool waits);
  /// Tells what was done, and takes nothing more of the pass.
  void end(int64_t pass, int64_t batches, const std::vector<int64_t>& done);
  void stop(int64_t pass);  // at least -1
  std::vector<std::string> gather(const std::string& topic, const std::string& text);
  void say(const std::string& topic, const std::string& text);
  /// Waits until it is said.
  std::string hear(const std::string& topic);

 private:
  class Body;
  std::unique_ptr<Body> body_;
};

}  // namespace tandem::servers
