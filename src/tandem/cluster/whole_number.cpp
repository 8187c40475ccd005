#include "tandem/cluster/whole_number.h"

#include <c10/util/StringUtil.h>

#include <charconv>

#include "tandem/core/error.h"

namespace tandem::cluster {

int64_t whole_number(std::string_view text, const std::string& what) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0)
    throw InvalidArgument(c10::str(what, ": must be a whole number of at least 0, got '", text, "'"));
  return value;
}

}  // namespace tandem::cluster
