#include "tandem/layers/layer_names.h"

#include <cctype>
#include <cstdint>
#include <map>
#include <mutex>

namespace tandem {
namespace {

std::mutex names_mutex;
std::map<std::string, int64_t>& name_counters() {
  static std::map<std::string, int64_t> counters;
  return counters;
}

}  // namespace

std::string snake_case(const std::string& class_name) {
  // The one class that Keras exports under another name than its own, which names and paths are made from.
  if (class_name == "GroupQueryAttention") return "grouped_query_attention";
  std::string out;
  for (std::size_t i = 0; i < class_name.size(); ++i) {
    const auto at = [&](std::size_t j) { return static_cast<unsigned char>(class_name[j]); };
    const bool boundary =
        i > 0 && std::isupper(at(i)) &&
        (std::islower(at(i - 1)) || (i + 1 < class_name.size() && std::islower(at(i + 1)) && !std::isdigit(at(i - 1))));
    if (boundary) out += '_';
    out += static_cast<char>(std::tolower(at(i)));
  }
  return out;
}

std::string unique_layer_name(const std::string& class_name) {
  const std::string base = snake_case(class_name);
  std::lock_guard lock(names_mutex);
  const int64_t count = name_counters()[base]++;
  return count == 0 ? base : base + "_" + std::to_string(count);
}

void clear_session() {
  std::lock_guard lock(names_mutex);
  name_counters().clear();
}

}  // namespace tandem
