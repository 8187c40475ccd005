#include "tandem/comm/meeting_place.h"

#include <c10/util/StringUtil.h>

#include <array>
#include <optional>
#include <thread>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>

#include "tandem/cluster/environment.h"
#include "tandem/cluster/interface.h"
#include "tandem/comm/meeting_address.h"
#include "tandem/comm/meeting_file.h"
#include "tandem/comm/meeting_store.h"
#include "tandem/comm/mpi_world.h"
#include "tandem/comm/wait_for_ranks.h"
#include "tandem/core/error.h"
#include "tandem/core/log.h"
#include "tandem/core/steady_seconds.h"

namespace tandem::comm {
namespace {

using std::chrono::milliseconds;

constexpr const char* kInterfaceVariable = "TANDEM_INTERFACE";
constexpr milliseconds kForOneTry(2000);  // an address that nobody answers at may be an old one

// The address of the interface that the user named; empty where none is.
std::string named_address(const std::string& option, const cluster::Environment& environment) {
  if (!option.empty()) return cluster::find_interface(option, "interface").address;
  for (const char* variable : {kInterfaceVariable, "GLOO_SOCKET_IFNAME"}) {
    if (const auto names = environment.get(variable)) return cluster::find_interface(*names, variable).address;
  }
  return "";
}

class Search {
 public:
  Search(const cluster::Membership& member, const std::string& interface, milliseconds limit)
      : member_(member), limit_(limit), named_(named_address(interface, environment_)) {}

  MeetingPlace run() {
    switch (member_.telling) {
      case cluster::Telling::mpi:
        return at(told_by_mpi());
      case cluster::Telling::shared_file:
        return member_.rank == 0 ? tell_by_file() : told_by_file();
      default:
        return at_given_address();
    }
  }

 private:
  MeetingPlace at_given_address() {
    if (!member_.master || member_.master->port == 0) {
      throw InvalidArgument(c10::str("cluster: ", member_.source, " says rank ", member_.rank, " of ",
                                     member_.world_size, ", but not where to meet: set MASTER_ADDR and MASTER_PORT"));
    }
    const auto& [host, port] = *member_.master;
    if (environment_.get("TORCHELASTIC_USE_AGENT_STORE") == "True") {
      if (member_.rank == 0 && !cluster::is_loopback(host) && !all_here())
        log_warning(
            "torchrun's store, where ranks meet, is neither encrypted nor authenticated: use a network you trust");
      c10d::TCPStoreOptions options;
      options.port = static_cast<uint16_t>(port);
      options.timeout = limit_;
      // torchrun gives each restart keys of its own.
      place_.store = c10::make_intrusive<c10d::PrefixStore>(
          c10::str("tandem/", environment_.get("TORCHELASTIC_RESTART_COUNT").value_or("0")),
          c10::make_intrusive<c10d::TCPStore>(host, options));
    } else {
      const auto secret = environment_.get(kJobKeyVariable);
      const auto key = secret ? std::optional(JobKey::of_secret(*secret)) : std::nullopt;
      if (member_.rank == 0) place_.point = std::make_unique<MeetingPoint>(host, port, key);
      place_.store = store_at(host, port, key);
      if (member_.rank != 0) place_.store->check({"here/0"});  // its name may be known only when it is there
    }
    place_.own_address = own_address(host);
    return std::move(place_);
  }

  // Rank 0 has its own place at hand, even when the interface that others come by is gone.
  c10::intrusive_ptr<MeetingStore> store_at(const std::string& host, int64_t port,
                                            const std::optional<JobKey>& key) const {
    const bool here = member_.rank == 0 || host == "::1";  // a point on the loopback interface has an address of IPv4
    return c10::make_intrusive<MeetingStore>(here ? "127.0.0.1" : host, port, key, limit_);
  }

  // On a free port, with a fresh key.
  MeetingAddress open() {
    const auto host = !named_.empty() ? named_
                      : all_here()    ? "127.0.0.1"
                                      : cluster::address_for_others(kInterfaceVariable);
    const auto key = JobKey::fresh();
    place_.point = std::make_unique<MeetingPoint>(host, 0, key);
    return {host, place_.point->port(), key};
  }

  MeetingPlace at(const MeetingAddress& address) {
    place_.store = store_at(address.host, address.port, address.key);
    place_.own_address = own_address(address.host);
    return std::move(place_);
  }

  // What keeps rank 0 from opening is told, too: the others need not wait for it.
  MeetingAddress told_by_mpi() {
    auto& world = mpi_world(member_, limit_);
    if (member_.rank != 0) {
      const auto text = world.broadcast("", limit_);
      if (text.starts_with(kFailed)) throw PeerError("rank 0: " + text.substr(std::string(kFailed).size()));
      return MeetingAddress::of_text(text, "what rank 0 told by MPI");
    }
    MeetingAddress address;
    try {
      address = open();
    } catch (const std::exception& error) {
      world.broadcast(std::string(kFailed) + error.what(), limit_);
      throw;
    }
    world.broadcast(address.to_text(), limit_);
    return address;
  }

  MeetingPlace tell_by_file() {
    const auto path = meeting_file_path(environment_);
    auto address = open();
    std::optional<MeetingFile> file(std::in_place, path, address.to_text());
    auto place = at(address);
    wait_for_ranks(*place.store, "told", 0, member_.world_size, seconds());
    file.reset();
    place.store->set("file removed", std::string("1"));
    return place;
  }

  // An old file leads nowhere, or to a port where nobody has its key; by and by rank 0 replaces it.
  MeetingPlace told_by_file() {
    const auto path = meeting_file_path(environment_);
    const double until = steady_seconds() + seconds();
    std::string tried;
    while (steady_seconds() < until) {
      const auto text = read_meeting_file(path);
      const auto address = text ? std::optional(MeetingAddress::of_text(*text, "meeting file " + path)) : std::nullopt;
      if (address && is_met_at(*address)) {
        auto place = at(*address);
        wait_for_ranks(*place.store, "told", member_.rank, member_.world_size, seconds());
        // Whoever goes on may meet again, and must not find this file then.
        place.store->wait({"file removed"});
        return place;
      }
      if (text) tried = ", or nobody answers at the address in it";
      std::this_thread::sleep_for(milliseconds(50));
    }
    throw PeerError(c10::str("rank ", member_.rank, ": rank 0 did not write ", path, " within ", seconds(), " s", tried,
                             "; TANDEM_MEETING_DIR names a folder that all hosts of the job see"));
  }

  static bool is_met_at(const MeetingAddress& address) {
    try {
      MeetingStore store(address.host, address.port, address.key, kForOneTry);
      store.check({"told/0"});
      return true;
    } catch (const PeerError&) {
      return false;
    }
  }

  // `meeting`: the host where rank 0 is met, which by now has answered wherever it is another.
  std::string own_address(const std::string& meeting) const {
    if (!named_.empty()) return named_;
    if (cluster::is_loopback(meeting) || all_here()) return "127.0.0.1";
    const auto own = cluster::address_toward(meeting);
    return own.empty() || cluster::is_loopback(own) ? cluster::address_for_others(kInterfaceVariable) : own;
  }

  bool all_here() const { return member_.local_size == member_.world_size; }
  double seconds() const { return seconds_of(limit_); }

  static constexpr const char* kFailed = "failed: ";

  const cluster::Membership& member_;
  const milliseconds limit_;
  const cluster::Environment environment_;
  const std::string named_;
  MeetingPlace place_;
};

}  // namespace

MeetingPlace find_meeting_place(const cluster::Membership& member, const std::string& interface, milliseconds limit) {
  return Search(member, interface, limit).run();
}

}  // namespace tandem::comm
