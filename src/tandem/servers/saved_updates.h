#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tandem::servers {

/// Of which updates, or rounds, a server has snapshots, as it tells worker 0, or those of other hosts.
std::string encode_saved(const std::vector<int64_t>& versions);
/// Throws DataError on other bytes.
std::vector<int64_t> decode_saved(std::string_view bytes);

/// The latest update of which all servers have a snapshot; 0: none has any. `saved`: by server, nothing where it is in
/// the midst of training, or does not save. Throws DataError where some have snapshots and there is no common one,
/// saying what each of `names` has; `what`: update or round.
int64_t common_update(const std::vector<std::optional<std::vector<int64_t>>>& saved,
                      const std::vector<std::string>& names, const std::string& what = "update");

}  // namespace tandem::servers
