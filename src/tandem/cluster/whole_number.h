#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace tandem::cluster {

/// `text` as a whole number of at least 0, with nothing beside its digits. Throws InvalidArgument in the name of `what`
/// on other text.
int64_t whole_number(std::string_view text, const std::string& what);

}  // namespace tandem::cluster
