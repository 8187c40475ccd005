#include "tandem/servers/server_sync.h"

#include <array>
#include <utility>

#include "tandem/core/error.h"

namespace tandem::servers {
namespace {

constexpr std::array<std::pair<ServerSync, const char*>, 3> kSyncNames{{
    {ServerSync::all_reduce, "all-reduce"},
    {ServerSync::ring, "ring"},
    {ServerSync::async_scatter_sum, "async-scatter-sum"},
}};

}  // namespace

ServerSync server_sync(const std::string& name) {
  for (const auto& [way, known] : kSyncNames) {
    if (name == known) return way;
  }
  throw InvalidArgument("server_sync: must be all-reduce, ring or async-scatter-sum, got '" + name + "'");
}

const char* name_of(ServerSync way) { return kSyncNames[static_cast<std::size_t>(way)].second; }

}  // namespace tandem::servers
