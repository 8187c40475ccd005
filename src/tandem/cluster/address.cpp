#include "tandem/cluster/address.h"

#include <c10/util/StringUtil.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "tandem/cluster/whole_number.h"
#include "tandem/core/error.h"

namespace tandem::cluster {
namespace {

std::string_view trimmed(std::string_view text) {
  const auto is_blank = [](char c) { return c == ' ' || c == '\t'; };
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

}  // namespace

Address Address::parse(std::string_view text, const std::string& what, int64_t least_port) {
  const auto colon = text.rfind(':');
  auto host = text.substr(0, colon);
  const bool bracketed = host.starts_with("[") && host.ends_with("]");
  if (bracketed) host = host.substr(1, host.size() - 2);
  if (colon == std::string_view::npos || host.empty() || (!bracketed && host.find(':') != std::string_view::npos))
    throw InvalidArgument(c10::str(what, ": must be host:port, got '", text, "'"));
  const auto port = whole_number(text.substr(colon + 1), c10::str(what, ", port of '", text, "'"));
  if (port < least_port || port > 65535)
    throw InvalidArgument(c10::str(what, ", port of '", text, "': must be from ", least_port, " to 65535, got ", port));
  return {std::string(host), port};
}

std::string Address::to_string() const {
  return c10::str(is_ipv6(host) ? "[" : "", host, is_ipv6(host) ? "]" : "", ":", port);
}

bool is_loopback(const std::string& host) { return host == "localhost" || host == "::1" || host.starts_with("127."); }

bool is_ipv6(const std::string& host) { return host.find(':') != std::string::npos; }

std::string own_host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

std::vector<Address> parse_addresses(std::string_view text, const std::string& what) {
  std::vector<Address> addresses;
  while (true) {
    const auto comma = text.find(',');
    const auto part = trimmed(text.substr(0, comma));
    if (part.empty())
      throw InvalidArgument(c10::str(what, ": must be addresses with commas between, got an empty one"));
    addresses.push_back(Address::parse(part, what));
    if (comma == std::string_view::npos) break;
    text.remove_prefix(comma + 1);
  }
  check_different(addresses, what);
  return addresses;
}

void check_different(const std::vector<Address>& addresses, const std::string& what) {
  for (auto a = addresses.begin(); a != addresses.end(); ++a) {
    if (std::find(addresses.begin(), a, *a) != a)
      throw InvalidArgument(
          c10::str(what, ": every process must have an address of its own, got ", a->to_string(), " twice"));
  }
}

}  // namespace tandem::cluster
