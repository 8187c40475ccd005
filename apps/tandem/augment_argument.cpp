#include "augment_argument.h"

#include <c10/util/StringUtil.h>

#include <charconv>
#include <sstream>
#include <vector>

#include "tandem/core/error.h"
#include "tandem/data/compose.h"
#include "tandem/data/random_flip.h"
#include "tandem/data/random_shift.h"

namespace tandem::cli {
namespace {

double number(const std::string& part, const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    throw InvalidArgument(c10::str("--augment ", part, ": must have a number after '=', got '", text, "'"));
  return value;
}

}  // namespace

data::TransformHandle parse_augmentation(const std::string& argument) {
  std::vector<data::TransformHandle> parts;
  std::stringstream list(argument);
  for (std::string part; std::getline(list, part, ',');) {
    const auto equals = part.find('=');
    const auto name = part.substr(0, equals);
    const auto value = equals == std::string::npos ? std::string() : part.substr(equals + 1);
    if (part == "none" && part == argument) return {};
    if (part == "none") throw InvalidArgument(c10::str("--augment ", argument, ": none must stand alone"));
    if (name == "shift") {
      parts.push_back(data::RandomShift(number(part, value)));
    } else if (part == "flip") {
      parts.push_back(data::RandomFlip("horizontal"));
    } else {
      throw_unknown_name("--augment", part, {"shift=F", "flip", "none"});
    }
  }
  if (parts.empty()) throw InvalidArgument("--augment: must name something, or none");
  return data::Compose(std::move(parts));
}

}  // namespace tandem::cli
