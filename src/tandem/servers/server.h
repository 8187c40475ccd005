#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tandem/comm/job_key.h"
#include "tandem/servers/server_figures.h"
#include "tandem/servers/snapshot_files.h"

namespace tandem::servers {

inline constexpr int64_t kMostThreads = 1024;

struct ServerOptions {
  /// "host:port"; port 0: a free one. Loopback, or any other name that is known for all interfaces. "inproc://name":
  /// for workers in this process.
  std::string address = "127.0.0.1:0";
  /// Needed beyond loopback: all is encrypted, and only those that have it are answered.
  std::optional<comm::JobKey> key = {};
  /// A worker that says nothing for so long is lost.
  double silence_seconds = 10;
  /// How long it goes on without workers, and waits for the first ones.
  double gone_seconds = 60;
  double start_seconds = 600;
  int64_t threads = 1;  // of updates; at most kMostThreads
  /// Topology per-host: a server on each host has all parameters and workers of its own, and the servers average their
  /// parameters (ServerSync). Addresses of all of them in one order, this one's among them, at which it listens instead
  /// of `address`; empty: there are no others.
  std::vector<std::string> hosts = {};
  int64_t host = 0;  // this one's place among them
  std::string server_sync = "all-reduce";
  /// So many updates of its own lie between two rounds; 0: they average only when a worker asks
  /// (ServerClient::average).
  int64_t sync_every = 1;
  /// Where its range is saved, and gone on from when there is something: ServerTalk. Removed when all workers have
  /// left. With hosts at the ends of rounds, all at the same ones, when one of them has made save.every_updates of its
  /// own since the last; all go on from one round.
  SaveOptions save = {};
};

/// A parameter server: a range of the parameters of a model, which worker 0 brings, and the optimizer for them, behind
/// a socket of ZeroMQ, on a thread of its own. What it does with gradients is written at ServerMode, what it has to do
/// with servers of other hosts at ServerSync. Those are lost when they say nothing for silence_seconds, or their
/// connection closes for 2 s: where workers wait for the average, they are told so (PeerError, which names the server),
/// else the others average without it. Where they save, one that is lost ends all of them, which are to be started
/// again.
class Server {
 public:
  /// Throws InvalidArgument beyond loopback without a key, on numbers out of range, on hosts of which it is none, or
  /// when the address cannot be had; DataError where nothing can be saved in the folder.
  explicit Server(ServerOptions options = {});
  /// Stops it as stop() does.
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  /// Where workers reach it, with the port that it has.
  const std::string& address() const;
  /// Returns when all workers have left, or all have been gone for gone_seconds, and the servers of other hosts know;
  /// where it saves, and its workers are done, when those of all hosts are.
  /// Throws PeerError when the job could not go on, as it told its workers.
  void wait();
  /// Of a server that has ended: whether workers have said that they are done, all but those that were lost on the way,
  /// if not, why; and what became of their gradients.
  bool done() const;
  std::string why_not_done() const;
  ServerFigures figures() const;
  bool has_ended() const;
  /// Ends it; workers that are there are told.
  void stop();
  /// Lets the workers end first, and does not wait for that: they are told, and those that train each at its own pace
  /// get no more batches. What is still there after `seconds` is told that it has been stopped.
  void stop_after(double seconds);

 private:
  class Body;
  std::unique_ptr<Body> body_;
};

}  // namespace tandem::servers
