#include "augment_argument.h"

#include <c10/util/StringUtil.h>

#include <array>
#include <charconv>
#include <functional>
#include <sstream>
#include <utility>
#include <vector>

#include "tandem/core/error.h"
#include "tandem/data/compose.h"
#include "tandem/data/cutout.h"
#include "tandem/data/random_brightness.h"
#include "tandem/data/random_channel_shift.h"
#include "tandem/data/random_crop.h"
#include "tandem/data/random_flip.h"
#include "tandem/data/random_rotation.h"
#include "tandem/data/random_shear.h"
#include "tandem/data/random_shift.h"
#include "tandem/data/random_zoom.h"

namespace tandem::cli {

const char* const kAugmentForms =
    "shift=F,rotation=DEGREES,shear=DEGREES,zoom=F|LOW:HIGH,flip,vflip,brightness=LOW:HIGH,channel=RANGE,"
    "crop=SIZE[:PADDING],cutout=SIZE,fill=nearest|constant|reflect|wrap | none (default: the recipe's)";

namespace {

// "name=value" or "name" of the list.
struct Part {
  std::string text, name, value;
  bool has_value;
};

std::vector<Part> split_parts(const std::string& argument) {
  std::vector<Part> parts;
  std::stringstream list(argument);
  for (std::string text; std::getline(list, text, ',');) {
    const auto equals = text.find('=');
    const bool has_value = equals != std::string::npos;
    parts.push_back({text, text.substr(0, equals), has_value ? text.substr(equals + 1) : "", has_value});
  }
  return parts;
}

template <class T>
T read(const Part& part, const std::string& text, const char* what) {
  T value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    throw InvalidArgument(
        c10::str("--augment ", part.text, ": must have ", what, " after '=', got '", part.value, "'"));
  return value;
}

double number(const Part& part) { return read<double>(part, part.value, "a number"); }

bool is_pair(const Part& part) { return part.value.find(':') != std::string::npos; }

template <class T>
std::pair<T, T> pair(const Part& part, const char* what) {
  const auto colon = part.value.find(':');
  const auto second = colon == std::string::npos ? "" : part.value.substr(colon + 1);
  return {read<T>(part, part.value.substr(0, colon), what), read<T>(part, second, what)};
}

data::Range range(const Part& part) {
  const auto [low, high] = pair<double>(part, "two numbers as 0.8:1.2");
  return {low, high};
}

int64_t pixels(const Part& part) { return read<int64_t>(part, part.value, "a whole number"); }

data::ZoomRange zoom(const Part& part) {
  if (!is_pair(part)) return number(part);
  const auto [low, high] = range(part);
  return {low, high};
}

data::TransformHandle crop(const Part& part) {
  const auto [size, padding] =
      is_pair(part) ? pair<int64_t>(part, "two whole numbers as 32:4") : std::pair(pixels(part), int64_t{0});
  return data::RandomCrop(size, size, {.padding = padding});
}

struct Kind {
  const char* form;
  std::function<data::TransformHandle(const Part&, const data::FillOptions&)> make;
};

// A kind whose form has no '=' takes no value.
const std::array<Kind, 10>& kinds() {
  using Fill = data::FillOptions;
  static const std::array<Kind, 10> all = {{
      {"shift=F", [](const Part& p, const Fill& fill) { return data::RandomShift(number(p), fill); }},
      {"rotation=DEGREES", [](const Part& p, const Fill& fill) { return data::RandomRotation(number(p), fill); }},
      {"shear=DEGREES", [](const Part& p, const Fill& fill) { return data::RandomShear(number(p), fill); }},
      {"zoom=F", [](const Part& p, const Fill& fill) { return data::RandomZoom(zoom(p), fill); }},
      {"flip", [](const Part&, const Fill&) { return data::RandomFlip("horizontal"); }},
      {"vflip", [](const Part&, const Fill&) { return data::RandomFlip("vertical"); }},
      {"brightness=LOW:HIGH", [](const Part& p, const Fill&) { return data::RandomBrightness(range(p)); }},
      {"channel=RANGE", [](const Part& p, const Fill&) { return data::RandomChannelShift(number(p)); }},
      {"crop=SIZE[:PADDING]", [](const Part& p, const Fill&) { return crop(p); }},
      {"cutout=SIZE", [](const Part& p, const Fill&) { return data::Cutout(pixels(p)); }},
  }};
  return all;
}

std::string name_of(const Kind& kind) {
  const std::string form = kind.form;
  return form.substr(0, form.find('='));
}

data::TransformHandle make_part(const Part& part, const data::FillOptions& fill) {
  std::vector<std::string> known;
  for (const Kind& kind : kinds()) {
    const bool takes_value = name_of(kind) != kind.form;
    if (name_of(kind) == part.name && (takes_value || !part.has_value)) return kind.make(part, fill);
    known.emplace_back(kind.form);
  }
  known.insert(known.end(), {"fill=MODE", "none"});
  throw_unknown_name("--augment", part.text, known);
}

}  // namespace

data::TransformHandle parse_augmentation(const std::string& argument) {
  if (argument == "none") return {};
  const auto parts = split_parts(argument);
  data::FillOptions fill;
  for (const Part& part : parts) {
    if (part.text == "none") throw InvalidArgument(c10::str("--augment ", argument, ": none must stand alone"));
    if (part.name == "fill") fill.fill_mode = part.value;
  }
  fill.fill();  // refuses an unknown mode
  std::vector<data::TransformHandle> transforms;
  for (const Part& part : parts) {
    if (part.name != "fill") transforms.push_back(make_part(part, fill));
  }
  if (transforms.empty()) throw InvalidArgument("--augment: must name something, or none");
  return data::Compose(std::move(transforms));
}

}  // namespace tandem::cli
