#include "tandem/saving/load_report.h"

#include <c10/util/StringUtil.h>

namespace tandem::saving {

std::string list_names(const std::vector<std::string>& names) {
  constexpr std::size_t kListed = 10;
  std::string list;
  for (std::size_t i = 0; i < names.size() && i < kListed; ++i) list += (i == 0 ? "" : ", ") + names[i];
  if (names.size() > kListed) list += c10::str(" and ", names.size() - kListed, " more");
  for (char& c : list) {
    if (static_cast<unsigned char>(c) < 0x20) c = ' ';  // names come from files, messages are one line
  }
  return list.empty() ? "none" : list;
}

std::string LoadReport::to_string() const {
  std::string text = c10::str("loaded ", loaded.size());
  const auto add = [&](const char* what, const std::vector<std::string>& names) {
    if (!names.empty()) text += c10::str(", ", what, " ", names.size(), ": ", list_names(names));
  };
  add("skipped", skipped);
  add("missing", missing);
  add("surplus", surplus);
  return text;
}

}  // namespace tandem::saving
