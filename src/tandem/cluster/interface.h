#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace tandem::cluster {

/// A network interface of this machine that is up and has an address.
struct Interface {
  std::string name;     // "eth0"
  std::string address;  // IPv4 where it has one, else IPv6
};

/// All that there are, as the system lists them, without those whose only address is link-local.
std::vector<Interface> interfaces();

/// The first of `names` that is there: names or patterns of the shell ("eth*") with commas between. Throws
/// InvalidArgument in the name of `what`, listing those that there are, where none is.
Interface find_interface(std::string_view names, const std::string& what);

/// This machine's own address on the way to `host`, which is resolved; nothing is sent. Empty where `host` is unknown
/// or cannot be reached.
std::string address_toward(const std::string& host);

/// An address of this machine that other hosts can reach it by: the one that its name stands for, else that of its only
/// interface beyond loopback. Throws InvalidArgument that lists the interfaces and names `setting`, which would choose
/// one, where neither tells.
std::string address_for_others(const std::string& setting);

}  // namespace tandem::cluster
