#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "tandem/cluster/address.h"
#include "tandem/cluster/membership.h"

namespace tandem::cluster {

/// A job by roles, as TF_CONFIG and the host flags describe it.
struct Jobs {
  std::vector<Address> chief, workers, servers, evaluators;
};

/// What process `index` of `role` is in such a job; without a chief, worker 0 is it. Its local rank counts the ranks
/// before it on the same host. `source` says where it all comes from, `index_name` what the index is called there.
/// Throws InvalidArgument naming what does not fit: more than one chief, an index beyond the role's processes, no
/// process that trains, or one address twice.
Membership member_of(const Jobs& jobs, Role role, int64_t index, const std::string& source,
                     const std::string& index_name);

/// TF_CONFIG of process `index` of `role` ("worker") in such a job. `said_by`: where it all comes from, for messages;
/// empty: it is TF_CONFIG that says so.
std::string tf_config_of(const Jobs& jobs, const std::string& role, int64_t index, const std::string& said_by = {});

}  // namespace tandem::cluster
