// In place of json_text.cpp where nlohmann-json is missing.
#include "tandem/core/config.h"
#include "tandem/core/error.h"

namespace tandem {

std::string Config::to_json(int) const { throw InvalidArgument("built without nlohmann-json: JSON cannot be written"); }

Config Config::from_json(std::string_view) {
  throw InvalidArgument("built without nlohmann-json: JSON cannot be read");
}

}  // namespace tandem
