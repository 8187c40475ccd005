#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tandem::cluster {

/// Where a process can be reached.
struct Address {
  std::string host;
  int64_t port = 0;  // 0: not known before it listens

  /// "host:port", "[::1]:port" for an IPv6 address. Throws InvalidArgument in the name of `what` when host or port is
  /// missing, or the port is not from `least_port` to 65535.
  static Address parse(std::string_view text, const std::string& what, int64_t least_port = 1);
  std::string to_string() const;
  bool operator==(const Address&) const = default;
};

/// True for localhost and the addresses of the loopback interface.
bool is_loopback(const std::string& host);

/// True for an IPv6 address in numbers, such as fd00::1.
bool is_ipv6(const std::string& host);

/// What this machine calls itself; empty where it has no name.
std::string own_host_name();

/// "a:1,b:2", with blanks around the commas or not. Throws InvalidArgument as Address::parse, on an empty part, and on
/// an address that is there twice.
std::vector<Address> parse_addresses(std::string_view text, const std::string& what);

/// Throws InvalidArgument in the name of `what` when two are equal.
void check_different(const std::vector<Address>& addresses, const std::string& what);

}  // namespace tandem::cluster
