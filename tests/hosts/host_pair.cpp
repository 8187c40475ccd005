#include "host_pair.h"

#include <unistd.h>

#include <sstream>
#include <stdexcept>

namespace tandem::testing {
namespace {

std::vector<std::string> joined(std::vector<std::string> first, const std::vector<std::string>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

// A process in name spaces of its own gives its host a name, and says its number when it is there.
std::vector<std::string> keep_host(std::size_t host) {
  return {"sh", "-c", "hostname host" + std::to_string(host) + " && echo here $$ && exec sleep 600"};
}

std::string id_of(Program& keeper) {
  keeper.await_output("\n");
  const auto words = words_of(keeper.output());
  if (words.size() != 2 || words[0] != "here") throw std::runtime_error(keeper.output());
  return words[1];
}

}  // namespace

HostPair::HostPair() : as_root_(::geteuid() == 0) {
  const auto keep = [&](std::size_t host, const std::vector<std::string>& command) {
    keepers_[host] = std::make_unique<Program>(joined(command, keep_host(host)));
    ids_[host] = id_of(*keepers_[host]);
  };
  keep(0, {"unshare", as_root_ ? "-nu" : "-Urnu"});
  keep(1, as_root_ ? std::vector<std::string>{"unshare", "-nu"} : on(0, {"unshare", "-nu"}));
  const std::array<std::array<std::string, 3>, 2> links{
      {{"meet0", "10.99.0.", "fd99::"}, {"data0", "10.98.0.", "fd98::"}}};
  for (const auto& [name, net, v6] : links) {
    run(0, {"ip", "link", "add", name, "type", "veth", "peer", "name", name, "netns", ids_[1]});
    for (int host = 0; host < 2; ++host) {
      run(host, {"ip", "address", "add", net + std::to_string(host + 1) + "/24", "dev", name});
      run(host, {"ip", "link", "set", name, "up"});
      run(host, {"ip", "address", "add", v6 + std::to_string(host + 1) + "/64", "dev", name, "nodad"});
    }
  }
  for (int host = 0; host < 2; ++host) run(host, {"ip", "link", "set", "lo", "up"});
}

std::vector<std::string> HostPair::on(int host, const std::vector<std::string>& words) const {
  if (as_root_) return beside(host, words);
  return joined({"nsenter", "-t", ids_[static_cast<std::size_t>(host)], "-U", "-n", "-u", "--preserve-credentials"},
                words);
}

// A name space of users that one is in already cannot be entered.
std::vector<std::string> HostPair::beside(int host, const std::vector<std::string>& words) const {
  return joined({"nsenter", "-t", ids_[static_cast<std::size_t>(host)], "-n", "-u"}, words);
}

std::string HostPair::run(int host, const std::vector<std::string>& words) const {
  Program program(on(host, words));
  if (program.wait() != 0) throw std::runtime_error("host " + std::to_string(host) + ": " + program.output());
  return program.output();
}

void HostPair::add_far_link(double seconds) {
  far_ = std::make_unique<Program>(on(0, {DELAYED_LINK, "far", ids_[1], std::to_string(seconds)}));
  far_->await_output("there\n");
  for (int host = 0; host < 2; ++host) {
    run(host, {"ip", "address", "add", "10.97.0." + std::to_string(host + 1) + "/24", "dev", "far"});
    run(host, {"ip", "link", "set", "far", "up"});
  }
}

int64_t HostPair::bytes_received(int host, const std::string& interface) const {
  const auto words = words_of(run(host, {"cat", "/proc/net/dev"}));
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    if (words[i] == interface + ":") return std::stoll(words[i + 1]);
  }
  throw std::runtime_error("no interface " + interface);
}

void OnHosts::SetUp() {
  if (::geteuid() != 0) {  // systems differ in what they let users do
    Program probe({"unshare", "-Urnu", "true"});
    if (probe.wait() != 0) GTEST_SKIP() << "this user may not make network name spaces: " << probe.output();
  }
  pair_ = std::make_unique<HostPair>();
}

}  // namespace tandem::testing
