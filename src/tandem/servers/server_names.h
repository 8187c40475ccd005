#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tandem::servers {

/// As errors name it: "server 1 of 3 (host:port)".
std::string name_of_server(int64_t server, std::size_t count, const std::string& address);
/// Of a connection: two runs of a worker, or of a server that speaks to others, are different ones.
std::string name_of_run(const std::string& who);
/// Throws InvalidArgument in the name of `what` when two servers have the same address.
void check_different(const std::vector<std::string>& addresses, const std::string& what);

}  // namespace tandem::servers
