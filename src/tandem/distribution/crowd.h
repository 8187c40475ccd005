#pragma once
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "tandem/core/tensor.h"
#include "tandem/distribution/peer_message.h"
#include "tandem/servers/desk_client.h"

namespace tandem::distribute {

/// Processes that train one model each at its own pace, which may come and go, as one of them speaks with the others.
/// One thread uses it, except for done.
class Crowd {
 public:
  /// `options.worker`: this process's place among the others.
  explicit Crowd(const servers::ClientOptions& options) : leads_(options.worker == 0), desk_(options) {}

  /// The number of the next batch for this process, of a pass of `batches`; nothing when all processes together have
  /// made all of them. `finish_own` ends this process's own steps, before it waits for others that may be lost.
  std::optional<int64_t> next_batch(int64_t pass, int64_t batches, const std::function<void()>& finish_own);
  /// This process takes no more of them; what it has made ends before.
  void end_share(int64_t pass, int64_t batches) { desk_.end(pass, batches, take_done()); }
  /// From any thread: this process has made the batch.
  void done(int64_t batch);
  /// What all that are there say to `topic`. One that comes late gets what was said.
  std::vector<PeerMessage> gather(const std::string& topic, const PeerMessage& own);
  /// What the first process says when it calls this as often; there that is `own`. A training begins with it.
  PeerMessage follow(const PeerMessage& own);
  /// Copies the first process's `tensor`, dense and on the CPU, to all others'. Its server keeps it for those that come
  /// late.
  void take_from_first(Tensor& tensor);
  /// Ends the training of all: nobody gets a batch any more.
  void stop();
  /// One of them has ended it; nobody waits for others then.
  bool stopped() const { return stopped_; }
  /// For those that look on.
  void say(const std::string& topic, const std::string& text) { desk_.say(topic, text); }

 private:
  std::vector<int64_t> take_done();
  // What the first process says when it calls this as often.
  std::string from_first(const std::string& own);

  const bool leads_;
  servers::DeskClient desk_;
  int64_t follows_ = 0;
  bool stopped_ = false;
  std::mutex mutex_;
  std::vector<int64_t> done_;  // not told yet; guarded by mutex_
};

}  // namespace tandem::distribute
