#include "tandem/core/error.h"
#include "tandem/servers/server_client.h"

namespace tandem::servers {

class ServerClient::Body {};

ServerClient::ServerClient(const ClientOptions&) {
  throw InvalidArgument("built without ZeroMQ: there are no parameter servers");
}
ServerClient::~ServerClient() = default;
void ServerClient::begin(const ServerPlan&, Tensor&, const std::vector<Tensor>&) {}
int64_t ServerClient::resumed() const { return 0; }
void ServerClient::push(int64_t, const Tensor&, const PushOptions&) {}
void ServerClient::push_rows(std::size_t, const RowGradient&, const PushOptions&) {}
PushOutcome ServerClient::finish(Tensor&, const std::function<void(int64_t)>&) { return {}; }
void ServerClient::pull(Tensor&, int64_t) {}
Tensor ServerClient::pull_rows(std::size_t, const Tensor&) { return {}; }
void ServerClient::pull_table(std::size_t, Tensor&) {}
void ServerClient::set_parameters(const Tensor&, const std::vector<Tensor>&) {}
void ServerClient::average(int64_t) {}
void ServerClient::rest(int64_t) {}
void ServerClient::give_up() {}
void ServerClient::abort(const std::string&) {}
bool ServerClient::servers_stop() const { return false; }
void ServerClient::leave() {}
RangeState ServerClient::state() { return {}; }
void ServerClient::set_state(const RangeState&) {}
std::vector<ServerFigures> ServerClient::figures() { return {}; }
int64_t ServerClient::bytes_sent() const { return 0; }
int64_t ServerClient::bytes_received() const { return 0; }

}  // namespace tandem::servers
