#pragma once
#include <string>

namespace tandem::data {

/// Within a catch: throws the exception in flight again with `where` in front of its message. Tandem's own types stay,
/// others become DataError.
[[noreturn]] void rethrow_at(const std::string& where);

}  // namespace tandem::data
