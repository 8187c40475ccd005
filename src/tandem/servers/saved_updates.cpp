#include "tandem/servers/saved_updates.h"

#include <c10/util/StringUtil.h>

#include <algorithm>

#include "tandem/comm/byte_stream.h"
#include "tandem/core/error.h"

namespace tandem::servers {
namespace {

bool has_update(const std::optional<std::vector<int64_t>>& saved, int64_t version) {
  return saved && std::find(saved->begin(), saved->end(), version) != saved->end();
}

std::string shown_updates(const std::optional<std::vector<int64_t>>& saved) {
  if (!saved) return "does not save, or is in the midst of training";
  if (saved->empty()) return "none";
  std::string text;
  for (const auto version : *saved) text += c10::str(text.empty() ? "" : ", ", version);
  return text;
}

}  // namespace

std::string encode_saved(const std::vector<int64_t>& versions) {
  comm::ByteWriter to;
  to.numbers(versions);
  return to.take();
}

std::vector<int64_t> decode_saved(std::string_view bytes) {
  comm::ByteReader from(bytes);
  auto versions = from.numbers<int64_t>();
  if (!from.at_end()) throw DataError("what a server has saved: must be updates, got other bytes");
  return versions;
}

int64_t common_update(const std::vector<std::optional<std::vector<int64_t>>>& saved,
                      const std::vector<std::string>& names, const std::string& what) {
  int64_t latest = 0;
  bool any = false;
  for (const auto& one : saved) {
    for (const auto version : one.value_or(std::vector<int64_t>())) {
      any = true;
      const bool common =
          std::all_of(saved.begin(), saved.end(), [&](const auto& s) { return has_update(s, version); });
      if (common) latest = std::max(latest, version);
    }
  }
  if (any && latest == 0) {
    std::string text;
    for (std::size_t s = 0; s < saved.size(); ++s)
      text += c10::str(s ? "; " : "", names[s], ": ", shown_updates(saved[s]));
    throw DataError("parameter servers must go on from one " + what + " that all have saved; " + text);
  }
  return latest;
}

}  // namespace tandem::servers
