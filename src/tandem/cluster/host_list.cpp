#include "tandem/cluster/host_list.h"

#include <c10/util/StringUtil.h>

#include <algorithm>

#include "tandem/cluster/whole_number.h"
#include "tandem/core/error.h"

namespace tandem::cluster {
namespace {

constexpr int64_t kMostHosts = 65536;

void check_number(std::size_t hosts, const std::string& what) {
  if (hosts > kMostHosts) throw InvalidArgument(c10::str(what, ": must name at most ", kMostHosts, " hosts, got more"));
}

// "01-03" is 01, 02, 03: numbers keep the width of the first.
std::vector<std::string> range(std::string_view text, const std::string& what) {
  const auto dash = text.find('-');
  const auto low = text.substr(0, dash), high = dash == std::string_view::npos ? low : text.substr(dash + 1);
  const int64_t first = whole_number(low, what), last = whole_number(high, what);
  if (last < first) throw InvalidArgument(c10::str(what, ": a range must rise, got '", text, "'"));
  check_number(static_cast<std::size_t>(std::min(last - first, kMostHosts) + 1), what);
  std::vector<std::string> numbers;
  for (int64_t n = first; n <= last; ++n) {
    auto number = std::to_string(n);
    if (number.size() < low.size()) number.insert(0, low.size() - number.size(), '0');
    numbers.push_back(std::move(number));
  }
  return numbers;
}

// Parts between commas that no bracket holds.
std::vector<std::string_view> parts_of(std::string_view text, const std::string& what) {
  std::vector<std::string_view> parts;
  std::size_t begin = 0;
  int depth = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && text[i] == '[') ++depth;
    if (i < text.size() && text[i] == ']') --depth;
    if (depth < 0 || depth > 1) throw InvalidArgument(c10::str(what, ": brackets must pair, got '", text, "'"));
    if (i < text.size() && (text[i] != ',' || depth > 0)) continue;
    parts.push_back(text.substr(begin, i - begin));
    begin = i + 1;
    if (parts.back().empty()) throw InvalidArgument(c10::str(what, ": must not hold an empty name, got '", text, "'"));
  }
  if (depth > 0) throw InvalidArgument(c10::str(what, ": brackets must pair, got '", text, "'"));
  return parts;
}

}  // namespace

std::vector<std::string> expand_hosts(std::string_view text, const std::string& what) {
  std::vector<std::string> hosts;
  for (auto part : parts_of(text, what)) {
    std::vector<std::string> names{""};
    while (!part.empty()) {
      const auto open = part.find('[');
      std::vector<std::string> endings{std::string(part.substr(0, open))};
      if (open == 0) {
        const auto close = part.find(']');
        endings.clear();
        for (auto one : parts_of(part.substr(1, close - 1), what)) {
          for (auto& number : range(one, what)) endings.push_back(std::move(number));
        }
        part.remove_prefix(close + 1);
      } else {
        part.remove_prefix(std::min(open, part.size()));
      }
      check_number(names.size() * endings.size(), what);
      std::vector<std::string> longer;
      for (const auto& name : names) {
        for (const auto& ending : endings) longer.push_back(name + ending);
      }
      names = std::move(longer);
    }
    hosts.insert(hosts.end(), names.begin(), names.end());
    check_number(hosts.size(), what);
  }
  return hosts;
}

std::vector<int64_t> expand_counts(std::string_view text, const std::string& what) {
  std::vector<int64_t> counts;
  for (auto part : parts_of(text, what)) {
    int64_t times = 1;
    if (const auto open = part.find("(x"); open != std::string_view::npos && part.ends_with(")")) {
      times = whole_number(part.substr(open + 2, part.size() - open - 3), what);
      part = part.substr(0, open);
    }
    check_number(counts.size() + static_cast<std::size_t>(times), what);
    counts.insert(counts.end(), static_cast<std::size_t>(times), whole_number(part, what));
  }
  return counts;
}

}  // namespace tandem::cluster
