#include "tandem/core/error.h"

#include <c10/util/StringUtil.h>

#include <algorithm>
#include <cctype>
#include <numeric>

namespace tandem {
namespace {

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

// Levenshtein distance with one row of the table, letters compared without case.
std::size_t edit_distance(std::string_view left, std::string_view right) {
  const std::string a = lower(left), b = lower(right);
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t above = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0 : 1)});
      diagonal = above;
    }
  }
  return row[b.size()];
}

std::string quoted_list(const std::vector<std::string>& names) {
  std::string out;
  for (const auto& name : names) out += (out.empty() ? "'" : ", '") + name + "'";
  return out;
}

}  // namespace

std::vector<std::string> nearest_names(std::string_view name, const std::vector<std::string>& known) {
  const std::size_t limit = std::max<std::size_t>(2, name.size() / 3);
  std::vector<std::pair<std::size_t, std::string>> near;
  for (const auto& candidate : known) {
    const auto distance = edit_distance(name, candidate);
    if (distance <= limit) near.emplace_back(distance, candidate);
  }
  std::stable_sort(near.begin(), near.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string> names;
  for (std::size_t i = 0; i < near.size() && i < 3; ++i) names.push_back(near[i].second);
  return names;
}

void throw_unknown_name(std::string_view kind, std::string_view name, const std::vector<std::string>& known) {
  const auto near = nearest_names(name, known);
  const auto hint = near.empty() ? "known: " + quoted_list(known) : "did you mean " + quoted_list(near) + "?";
  throw InvalidArgument(c10::str(kind, " '", name, "' is not known; ", hint));
}

}  // namespace tandem
