#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "tandem/comm/job_key.h"
#include "tandem/core/tensor.h"
#include "tandem/servers/parameter_range.h"
#include "tandem/servers/row_gradient.h"
#include "tandem/servers/server_figures.h"
#include "tandem/servers/server_plan.h"

namespace tandem::servers {

struct ClientOptions {
  /// Addresses as Server::address gives them, in the same order at all workers.
  std::vector<std::string> servers;
  int64_t worker = 0;
  std::optional<comm::JobKey> key = {};
  /// A server that says nothing for so long is lost.
  double silence_seconds = 10;
  /// How long begin waits for servers and worker 0, and finish for the other workers. Every five seconds the log says
  /// for whom.
  double begin_seconds = 120;
  double wait_seconds = 600;
  /// Ends the waits of begin, which then throws Stopped.
  std::stop_token stop = {};
  /// Of a job that has more servers, for errors: the first one's number, and how many there are (0: these).
  int64_t first = 0;
  std::size_t all = 0;
};

struct PushOptions {
  /// Of the gradient's batch, and of all workers' batches of this step together (0: unknown; sync with backup workers).
  int64_t rows = 1;
  int64_t all_rows = 0;
  /// Learning rate; below 0: the optimizer's own, by the server's count of updates.
  double rate = -1;
  /// What servers multiply the gradient with; in sync their sum.
  double scale = 1;
};

/// What became of the blocks of a gradient.
struct PushOutcome {
  int64_t applied = 0, held = 0, dropped = 0, duplicate = 0;
  int64_t max_staleness = 0;
};

/// A worker's side of all parameter servers of a job. One thread uses it; another, within, tells the servers each
/// second that the worker is alive. A wait ends with PeerError when a server is silent for silence_seconds, when its
/// connection closed and did not come back within 2 s, or when it says that the job cannot go on; with InvalidArgument
/// or DataError when it says that this worker was told something else than the others, or what it has saved is of no
/// use.
///
/// `parameters` and `gradients` are flat buffers (plan.dense_elements(),), float32, contiguous. Tables, which are not
/// in them, are named by their numbers in plan.weights.
class ServerClient {
 public:
  /// Connects without waiting. Throws InvalidArgument on no server, an address that is none, is there twice, or lies
  /// beyond loopback where there is no key, and on seconds that are not positive.
  explicit ServerClient(const ClientOptions& options);
  /// Tells the servers that it leaves, and waits for nothing. After a wait that failed servers that save expect the
  /// worker to begin anew.
  ~ServerClient();
  ServerClient(const ServerClient&) = delete;
  ServerClient& operator=(const ServerClient&) = delete;

  /// To be called before all others, and again after leave, with the same plan by all workers. Worker 0's `parameters`,
  /// and its `tables` in the plan's order, float32, contiguous, are those that training begins with, unless the servers
  /// go on from what they have saved; parameters are set to the servers'. Throws DataError where servers in mode sync
  /// have saved, but no update that all of them have.
  void begin(const ServerPlan& plan, Tensor& parameters, const std::vector<Tensor>& tables = {});
  /// The update that servers go on from, the highest of all servers: one that had been saved or, in modes async and
  /// stale, that an earlier run has left; 0: worker 0's parameters, or what this run has made of them.
  int64_t resumed() const;
  /// Sends a block of the gradients and returns at once. The gradients must be left alone until finish.
  void push(int64_t block, const Tensor& gradients, const PushOptions& options = {});
  /// Likewise the gradient of a table, whose other rows have none.
  void push_rows(std::size_t table, const RowGradient& gradient, const PushOptions& options = {});
  /// Waits for the answers to all blocks, each of which must have been pushed, and all tables, and writes them to the
  /// parameters. `arrived(block)`: a block is there. With backup workers a gradient that came too late for one server
  /// is taken back from those that have not used it, and the parameters are pulled.
  PushOutcome finish(Tensor& parameters, const std::function<void(int64_t block)>& arrived = {});
  /// Gets the parameters as they are. `pass`, from 1: gradients of it will be made. Where there are backup workers an
  /// update waits for no more gradients than there are workers that have not ended the pass.
  void pull(Tensor& parameters, int64_t pass = 0);
  /// Rows of a table as they are, (n, elements of a row); `rows` (n,), int64, must rise within the table.
  Tensor pull_rows(std::size_t table, const Tensor& rows);
  /// All of a table, into `values`, float32, contiguous: block by block, so that little is on its way at a time.
  void pull_table(std::size_t table, Tensor& values);
  /// The servers go on from these. To be called while no worker pushes; the others know when they pull.
  void set_parameters(const Tensor& parameters, const std::vector<Tensor>& tables = {});
  /// Returns when the servers of all hosts have averaged their parameters once more; pull gets them. Where workers wait
  /// for the average, all hosts must ask, by one worker each; to be called while this one pushes nothing. `round`:
  /// returns when they have done so that many times; any number of workers may ask for the same one. Where nobody
  /// trains, the round behind the last that any server has begun (ServerFigures) makes all servers the same to the bit.
  void average(int64_t round = 0);
  /// Says that no gradient comes until the next pull, and none more of `pass` unless it is 0: others need not reckon
  /// with this worker.
  void rest(int64_t pass = 0);
  /// Forgets what was pushed and not answered, here and, when it returns, on the servers; rests.
  void give_up();
  /// The wait that the worker is in, or comes to next, ends with PeerError giving `reason`; give_up ends this. From any
  /// thread.
  void abort(const std::string& reason);
  /// A server has been told to end (Server::stop_after), and gives workers the time to do so first. From any thread.
  bool servers_stop() const;
  /// Says that this worker is done, and waits until the servers know.
  void leave();

  /// The optimizer's state of the whole flat buffer. To be called while no worker pushes.
  RangeState state();
  void set_state(const RangeState& state);
  /// By server.
  std::vector<ServerFigures> figures();
  /// Payloads of gradients and parameters.
  int64_t bytes_sent() const;
  int64_t bytes_received() const;

 private:
  class Body;
  std::unique_ptr<Body> body_;
};

}  // namespace tandem::servers
