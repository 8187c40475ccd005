#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tandem::cluster {

/// Host names out of Slurm's short form: "node[01-03,07],login" is node01, node02, node03, node07, login; several
/// brackets in a name multiply. Throws InvalidArgument in the name of `what` on text of another form and on more than
/// 65,536 hosts.
std::vector<std::string> expand_hosts(std::string_view text, const std::string& what);

/// Numbers out of Slurm's short form: "2(x3),1" is 2, 2, 2, 1. Throws as expand_hosts.
std::vector<int64_t> expand_counts(std::string_view text, const std::string& what);

}  // namespace tandem::cluster
