#include "tandem/core/error.h"
#include "tandem/servers/server.h"

namespace tandem::servers {

class Server::Body {};

Server::Server(ServerOptions) { throw InvalidArgument("built without ZeroMQ: there are no parameter servers"); }
Server::~Server() = default;
const std::string& Server::address() const { throw InternalError("a server without ZeroMQ"); }
void Server::wait() {}
bool Server::done() const { return true; }
std::string Server::why_not_done() const { return ""; }
ServerFigures Server::figures() const { return {}; }
bool Server::has_ended() const { return true; }
void Server::stop() {}
void Server::stop_after(double) {}

}  // namespace tandem::servers
