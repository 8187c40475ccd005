#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "tandem/servers/client_blocks.h"
#include "tandem/servers/server_answers.h"
#include "tandem/servers/server_client.h"
#include "tandem/servers/server_links.h"

namespace tandem::servers {

/// What a ServerClient is made of. Blocks travel in server_client_blocks.cpp; what all servers are asked alike is in
/// server_client.cpp.
class ServerClient::Body {
 public:
  explicit Body(const ClientOptions& options);
  ~Body();

  void begin(const ServerPlan& plan, Tensor& parameters, const std::vector<Tensor>& tables);
  int64_t resumed() const { return resumed_; }
  void push(int64_t block, const Tensor& gradients, const PushOptions& options);
  void push_rows(std::size_t table, const RowGradient& gradient, const PushOptions& options);
  PushOutcome finish(Tensor& parameters, const std::function<void(int64_t)>& arrived);
  void pull(Tensor& parameters, int64_t pass);
  Tensor pull_rows(std::size_t table, const Tensor& rows);
  void pull_table(std::size_t table, Tensor& values);
  void set_parameters(const Tensor& parameters, const std::vector<Tensor>& tables);
  void average(int64_t round);
  void rest(int64_t pass);
  void give_up();
  void abort(const std::string& reason) { links_.abort(reason); }
  bool servers_stop() const { return links_.stops(); }
  void leave();
  RangeState state();
  void set_state(const RangeState& state);
  std::vector<ServerFigures> figures();
  int64_t bytes_sent();
  int64_t bytes_received();

 private:
  Header header(Kind kind) const { return {.kind = kind, .worker = static_cast<int32_t>(worker_)}; }
  void check_begun() const;
  const std::vector<ServerLink::Message>& ask_all(Kind kind, const char* missing = "got no answer of");
  // Servers that save ask worker 0 in mode sync of which update they are to go on.
  void answer_offers();
  std::vector<Frame> frames_of(const Tensor& parameters, const std::vector<Tensor>& tables, int64_t server) const;

  void push_block(int64_t block, std::vector<Frame> payload, const PushOptions& options);
  void ask_rows(int64_t block, std::vector<Frame> payload);
  // Of blocks that were asked for rows, and where these go.
  void receive_rows(const std::vector<std::pair<int64_t, Tensor>>& parts);
  // False: before all were there it was `enough`, which is asked under the lock.
  bool receive_blocks(Tensor& parameters, const std::function<void(const Header&)>& taken,
                      const std::function<bool()>& enough);
  std::vector<ClientBlocks::Arrived> receive(Kind kind);
  void send_pull(std::size_t s);
  // What was not answered: servers know pushes by their ids.
  void send_again(std::size_t s);
  void take(std::size_t s, ServerLink::Message& message);

  const int64_t worker_;
  const double begin_seconds_;
  ServerPlan plan_;
  bool begun_ = false, greeted_ = false;
  int64_t resumed_ = 0;
  uint64_t id_ = 0;                                 // of the last push that was finished
  uint64_t pulls_ = 0, averages_ = 0, begins_ = 0;  // so far
  int64_t pass_ = 0;                                // of the last pull
  ClientBlocks blocks_;                             // guarded by the lock of links_
  ServerAnswers answers_;
  ServerLinks links_;  // last: its thread uses the others
};

}  // namespace tandem::servers
