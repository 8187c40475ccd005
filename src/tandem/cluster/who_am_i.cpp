#include "tandem/cluster/who_am_i.h"

#include <c10/util/StringUtil.h>

#include <utility>

#include "tandem/core/error.h"

namespace tandem::cluster {
namespace {

std::string said(const Membership& m) {
  return m.trains()
             ? c10::str(m.source, " says rank ", m.rank, " of ", m.world_size)
             : c10::str(m.source, " says ", to_string(m.role), " ", m.index, " of a job with ", m.world_size, " ranks");
}

std::string listed(const std::vector<Address>& addresses) {
  std::string all;
  for (const auto& address : addresses) {
    if (!all.empty()) all += ",";
    all += address.to_string();
  }
  return all;
}

// Where both name them.
void check_addresses(const char* whose, const Membership& first, const std::vector<Address>& of_first,
                     const Membership& other, const std::vector<Address>& of_other) {
  if (of_first.empty() || of_other.empty() || of_first == of_other) return;
  throw InvalidArgument(c10::str("cluster: ", first.source, " says that the ", whose, " are ", listed(of_first),
                                 ", but ", other.source, " says ", listed(of_other)));
}

void check_agreement(const Membership& first, const Membership& other) {
  const bool same_kind = first.trains() == other.trains() && (first.trains() || first.role == other.role);
  const bool same_place = first.trains() ? first.rank == other.rank : first.index == other.index;
  if (!same_kind || !same_place || first.world_size != other.world_size)
    throw InvalidArgument(c10::str("cluster: ", said(first), ", but ", said(other)));
  check_addresses("servers", first, first.servers, other, other.servers);
  check_addresses("workers", first, first.ranks, other, other.ranks);
}

}  // namespace

Membership who_am_i(const Environment& environment, const ExplicitRank& given, const HostFlags& flags) {
  std::optional<Membership> found;
  const auto take = [&](std::optional<Membership> next) {
    if (!next) return;
    if (found) {
      check_agreement(*found, *next);
    } else {
      found = std::move(next);
    }
  };
  take(from_explicit(given));
  take(from_tf_config(environment));
  take(from_torchrun(environment));
  const bool nested = environment.has("TORCHELASTIC_RUN_ID");
  const auto mpi = nested ? std::nullopt : from_mpi(environment);
  take(mpi);
  if (!nested && !mpi) take(from_slurm(environment));
  take(from_host_flags(flags));
  return found.value_or(Membership{});
}

}  // namespace tandem::cluster
