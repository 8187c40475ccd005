#pragma once
#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "tandem/servers/server_client.h"
#include "tandem/servers/server_link.h"

namespace tandem::servers {

/// A worker's connections to all servers, or those of one that looks on. A thread within tells them each second that
/// the worker is alive, and takes in what comes, unless the worker is at it itself: the worker never waits for it for
/// long.
class ServerLinks {
 public:
  /// `take(s, message)`: what came from server s, under lock(); errors are kept for the next wait.
  using Take = std::function<void(std::size_t server, ServerLink::Message& message)>;

  /// `who`: "worker 1" in errors; empty: as options.worker says. Throws InvalidArgument on options that cannot work.
  ServerLinks(const ClientOptions& options, Take take, std::string who = {});
  ~ServerLinks();
  ServerLinks(const ServerLinks&) = delete;
  ServerLinks& operator=(const ServerLinks&) = delete;

  std::size_t count() const { return links_.size(); }
  /// "server 1 of 2 (host:port)".
  const std::string& name(std::size_t server) const { return links_[server]->name(); }
  /// Under lock(). Throws PeerError when the server takes nothing any more, or what it said last; what it refused
  /// before is forgotten.
  void send(std::size_t server, const Header& header, std::vector<Frame> payload = {});
  std::unique_lock<std::mutex> lock() { return std::unique_lock(mutex_); }

  /// All are called under lock().
  struct Wait {
    std::function<bool()> done;
    std::function<bool(std::size_t server)> misses;  // whether it is this one that is waited for
    std::function<void(std::size_t server)> again;   // sends it what it may have lost with its connection
    const char* what;                                // "waits for parameters of"
    double seconds = 0;                              // 0: ClientOptions::wait_seconds; else the wait is one of begin
  };
  /// Throws as ServerClient says.
  void wait_until(const Wait& wait);
  /// True when a wait has failed, until what was asked is given up.
  bool failed() const { return failed_; }
  /// A server has said that workers should end. From any thread.
  bool stops() const { return stops_; }
  /// Every wait throws PeerError giving `reason`; empty: no more. From any thread.
  void abort(const std::string& reason);

 private:
  struct Failure {
    std::string text;  // empty: none
    Fault fault = Fault::job;
  };
  struct Asked {
    Kind kind = Kind::ping;
    uint64_t id = 0;
  };
  // What a server refuses is no reason to refuse what is asked next.
  [[noreturn]] void raise(std::size_t server);
  [[noreturn]] static void raise(const Failure& failure);
  bool is_of_last(std::size_t server, const Header& error) const;
  void wait_or_throw(const Wait& wait);
  void take_in(std::size_t server);
  void give_signs();
  void check_aborted();
  // "worker 1 waits for parameters of server 0 of 2 (a:2222), which waits for worker 0".
  std::string describe(std::size_t server, const Wait& wait, double seconds) const;

  const int64_t worker_;
  const std::string who_;
  const double wait_seconds_;
  const std::stop_token stop_begin_;
  const Take take_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<ServerLink>> links_;  // guarded by mutex_
  std::vector<Failure> failures_;                   // by server; guarded by mutex_
  std::vector<Asked> asked_;                        // by server: last; guarded by mutex_
  std::atomic<bool> failed_ = false, stops_ = false;
  std::mutex abort_mutex_;
  std::string aborted_;  // the reason; guarded by abort_mutex_
  std::mutex stop_mutex_;
  std::condition_variable stop_;
  bool stopping_ = false;  // guarded by stop_mutex_
  std::thread signs_;
};

}  // namespace tandem::servers
