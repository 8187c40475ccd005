#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "tandem/comm/job_key.h"
#include "tandem/servers/server_figures.h"
#include "tandem/servers/snapshot_files.h"

namespace tandem::servers {

struct ServerOptions {
  /// "host:port"; port 0: a free one. Loopback, or any other name for all interfaces. "inproc://name": for workers in
  /// this process.
  std::string address = "127.0.0.1:0";
  /// Needed beyond loopback: all is encrypted, and only those that have it are answered.
  std::optional<comm::JobKey> key = {};
  /// A worker that says nothing for so long is lost.
  double silence_seconds = 10;
  /// How long it goes on without workers, and waits for the first ones.
  double gone_seconds = 60;
  double start_seconds = 600;
  /// Threads of updates.
  int64_t threads = 1;
  /// Where its range is saved, and gone on from when there is something: ServerTalk. Removed when all workers have
  /// left.
  SaveOptions save = {};
};

/// A parameter server: a range of the parameters of a model, which worker 0 brings, and the optimizer for them, behind
/// a socket of ZeroMQ, on a thread of its own. What it does with gradients is written at ServerMode.
class Server {
 public:
  /// Throws InvalidArgument beyond loopback without a key, on numbers out of range, or when the address cannot be had;
  /// DataError where nothing can be saved in the folder.
  explicit Server(ServerOptions options = {});
  /// Stops it as stop() does.
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  /// Where workers reach it, with the port that it has.
  const std::string& address() const;
  /// Returns when all workers have left, or all have been gone for gone_seconds. Throws PeerError when the job could
  /// not go on, as it told its workers.
  void wait();
  /// Of a server that has ended: whether workers have said that they are done, all but those that were lost on the way,
  /// and what became of their gradients.
  bool done() const;
  ServerFigures figures() const;
  bool has_ended() const;
  /// Ends it; workers that are there are told.
  void stop();

 private:
  class Body;
  std::unique_ptr<Body> body_;
};

}  // namespace tandem::servers
