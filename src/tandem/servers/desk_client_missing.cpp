#include "tandem/core/error.h"
#include "tandem/servers/desk_client.h"

namespace tandem::servers {

class DeskClient::Body {};

DeskClient::DeskClient(ClientOptions) { throw InvalidArgument("built without ZeroMQ: there are no parameter servers"); }
DeskClient::~DeskClient() = default;
DeskClient::Dealt DeskClient::take(int64_t, int64_t, const std::vector<int64_t>&, bool) { return {}; }
void DeskClient::end(int64_t, int64_t, const std::vector<int64_t>&) {}
void DeskClient::stop(int64_t) {}
std::vector<std::string> DeskClient::gather(const std::string&, const std::string&) { return {}; }
void DeskClient::say(const std::string&, const std::string&) {}
std::string DeskClient::hear(const std::string&) { return {}; }

}  // namespace tandem::servers
