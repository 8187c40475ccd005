#include "tandem/callbacks/history.h"

#include <c10/util/StringUtil.h>

#include <algorithm>

#include "tandem/core/error.h"

namespace tandem {
namespace {

int64_t of_rank(const std::vector<int64_t>& facts, int64_t rank) {
  if (rank < 0 || rank >= static_cast<int64_t>(facts.size()))
    throw InvalidArgument(c10::str("history: rank must be in [0, ", facts.size(), "), got ", rank));
  return facts[static_cast<std::size_t>(rank)];
}

}  // namespace

const std::vector<double>& History::operator[](std::string_view name) const {
  std::vector<std::string> known;
  for (const auto& [key, values] : series_) {
    if (key == name) return values;
    known.push_back(key);
  }
  throw_unknown_name("history entry", name, known);
}

int64_t History::count(std::string_view name) const {
  return std::any_of(series_.begin(), series_.end(), [&](const Series& s) { return s.first == name; });
}

int64_t History::bytes_sent(int64_t rank) const { return of_rank(facts_.bytes_sent, rank); }
int64_t History::bytes_received(int64_t rank) const { return of_rank(facts_.bytes_received, rank); }
int64_t History::parameter_bytes(int64_t rank) const { return of_rank(facts_.parameter_bytes, rank); }
int64_t History::gradient_bytes(int64_t rank) const { return of_rank(facts_.gradient_bytes, rank); }
int64_t History::optimizer_bytes(int64_t rank) const { return of_rank(facts_.optimizer_bytes, rank); }

int64_t History::max_staleness() const {
  for (auto age = static_cast<int64_t>(facts_.staleness.size()) - 1; age > 0; --age) {
    if (facts_.staleness[static_cast<std::size_t>(age)] > 0) return age;
  }
  return 0;
}

double History::mean_staleness() const {
  int64_t gradients = 0, updates = 0;
  for (std::size_t age = 0; age < facts_.staleness.size(); ++age) {
    gradients += facts_.staleness[age];
    updates += static_cast<int64_t>(age) * facts_.staleness[age];
  }
  return gradients > 0 ? static_cast<double>(updates) / static_cast<double>(gradients) : 0;
}

int64_t History::dropped_rows() const {
  const auto& by_server = facts_.dropped_rows;
  return by_server.empty() ? 0 : *std::max_element(by_server.begin(), by_server.end());
}

void History::append(int64_t epoch, const Logs& logs) {
  epochs_.push_back(epoch);
  by_epoch_.push_back({epoch, logs});
  for (const auto& [name, value] : logs) {
    auto found = std::find_if(series_.begin(), series_.end(), [&](const Series& s) { return s.first == name; });
    if (found == series_.end()) found = series_.insert(series_.end(), {name, {}});
    found->second.push_back(value);
  }
}

}  // namespace tandem
