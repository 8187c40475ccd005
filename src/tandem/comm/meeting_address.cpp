#include "tandem/comm/meeting_address.h"

#include <c10/util/StringUtil.h>

#include "tandem/cluster/address.h"
#include "tandem/core/error.h"

namespace tandem::comm {
namespace {

constexpr const char* kHead = "tandem meeting 1\n";

}  // namespace

std::string MeetingAddress::to_text() const {
  return kHead + cluster::Address{host, port}.to_string() + "\n" + key.secret + "\n";
}

MeetingAddress MeetingAddress::of_text(const std::string& text, const std::string& what) {
  try {
    const std::string head = kHead;
    const auto end = text.find('\n', head.size());
    if (!text.starts_with(head) || end == std::string::npos || !text.ends_with('\n')) throw DataError("");
    const auto address = cluster::Address::parse(text.substr(head.size(), end - head.size()), what);
    return {address.host, address.port, JobKey::of_secret(text.substr(end + 1, text.size() - end - 2))};
  } catch (const Error&) {
    throw DataError(c10::str(what, ": must say where rank 0 is met and with what key, and does not"));
  }
}

}  // namespace tandem::comm
