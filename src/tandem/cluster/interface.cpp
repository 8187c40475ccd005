#include "tandem/cluster/interface.h"

#include <arpa/inet.h>
#include <c10/util/StringUtil.h>
#include <fnmatch.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <memory>

#include "tandem/cluster/address.h"
#include "tandem/core/error.h"

namespace tandem::cluster {
namespace {

// "10.0.0.1"; empty where it is no address of the internet, or one that needs an interface beside it.
std::string text_of_address(const sockaddr* address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (address && address->sa_family == AF_INET) {
    const auto& v4 = *reinterpret_cast<const sockaddr_in*>(address);
    return ::inet_ntop(AF_INET, &v4.sin_addr, text.data(), text.size()) ? text.data() : "";
  }
  if (address && address->sa_family == AF_INET6) {
    const auto& v6 = *reinterpret_cast<const sockaddr_in6*>(address);
    if (IN6_IS_ADDR_LINKLOCAL(&v6.sin6_addr)) return "";
    return ::inet_ntop(AF_INET6, &v6.sin6_addr, text.data(), text.size()) ? text.data() : "";
  }
  return "";
}

std::string listed(const std::vector<Interface>& all) {
  std::vector<std::string> texts;
  texts.reserve(all.size());
  for (const auto& one : all) texts.push_back(c10::str(one.name, " (", one.address, ")"));
  return texts.empty() ? "none" : c10::Join(", ", texts);
}

using Addresses = std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)>;

Addresses resolve(const std::string& host) {
  addrinfo hints{}, *found = nullptr;
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_DGRAM;
  if (::getaddrinfo(host.c_str(), "9", &hints, &found) != 0) found = nullptr;
  return {found, &::freeaddrinfo};
}

}  // namespace

std::vector<Interface> interfaces() {
  ifaddrs* first = nullptr;
  if (::getifaddrs(&first) != 0) return {};
  const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> owner(first, &::freeifaddrs);
  std::vector<Interface> all;
  for (const int family : {AF_INET, AF_INET6}) {
    for (const auto* one = first; one; one = one->ifa_next) {
      if (!one->ifa_addr || one->ifa_addr->sa_family != family || !(one->ifa_flags & IFF_UP)) continue;
      const bool is_there =
          std::any_of(all.begin(), all.end(), [&](const Interface& other) { return other.name == one->ifa_name; });
      const auto address = text_of_address(one->ifa_addr);
      if (!is_there && !address.empty()) all.push_back({one->ifa_name, address});
    }
  }
  return all;
}

Interface find_interface(std::string_view names, const std::string& what) {
  const auto all = interfaces();
  for (auto rest = names; !rest.empty();) {
    const auto comma = std::min(rest.find(','), rest.size());
    std::string name(rest.substr(0, comma));
    rest.remove_prefix(std::min(comma + 1, rest.size()));
    std::erase(name, ' ');
    for (const auto& one : all) {
      if (::fnmatch(name.c_str(), one.name.c_str(), 0) == 0) return one;
    }
  }
  throw InvalidArgument(c10::str(what, ": no network interface is called '", names, "'; there are ", listed(all)));
}

std::string address_toward(const std::string& host) {
  const auto targets = resolve(host);
  for (const auto* target = targets.get(); target; target = target->ai_next) {
    const int socket = ::socket(target->ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (socket < 0) continue;
    sockaddr_storage own{};
    socklen_t size = sizeof(own);
    // Connecting a datagram socket only looks up the way.
    const bool found = ::connect(socket, target->ai_addr, target->ai_addrlen) == 0 &&
                       ::getsockname(socket, reinterpret_cast<sockaddr*>(&own), &size) == 0;
    ::close(socket);
    if (!found) continue;
    if (auto text = text_of_address(reinterpret_cast<const sockaddr*>(&own)); !text.empty()) return text;
  }
  return "";
}

std::string address_for_others(const std::string& setting) {
  const auto name = own_host_name();
  if (auto own = name.empty() ? "" : address_toward(name); !own.empty() && !is_loopback(own)) return own;
  auto beyond = interfaces();
  std::erase_if(beyond, [](const Interface& one) { return is_loopback(one.address); });
  if (beyond.size() == 1) return beyond.front().address;
  throw InvalidArgument(c10::str(setting, ": must name the network interface by which other hosts reach this one, '",
                                 name, "', whose name does not tell; there are ", listed(beyond)));
}

}  // namespace tandem::cluster
