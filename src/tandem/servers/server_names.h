#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

namespace tandem::servers {

/// As errors name it: "server 1 of 3 (host:port)".
std::string name_of_server(int64_t server, std::size_t count, const std::string& address);
/// Of a connection: two runs of a worker, or of a server that speaks to others, are different ones.
std::string name_of_run(const std::string& who);

}  // namespace tandem::servers
