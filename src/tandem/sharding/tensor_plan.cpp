#include "tandem/sharding/tensor_plan.h"

#include <c10/util/StringUtil.h>

#include <algorithm>
#include <cstdio>
#include <vector>

#include "tandem/sharding/local_network.h"

namespace tandem::sharding {
namespace {

int64_t elements_of(const Network& network) {
  int64_t count = 0;
  for (const auto& w : network.weights()) count += w.shape().count();
  return count;
}

std::string padded(std::string text, std::size_t width) {
  text.resize(std::max(width, text.size()), ' ');
  return text;
}

std::string joined(const std::vector<std::string>& names) {
  std::string all;
  for (const auto& name : names) all += (all.empty() ? "" : ", ") + name;
  return all;
}

}  // namespace

std::string tensor_plan(const LocalNetwork& local, const Network& network, int64_t ranks) {
  const int64_t all = std::max<int64_t>(elements_of(network), 1);
  char share[16];
  std::snprintf(share, sizeof share, "%.1f",
                100.0 * static_cast<double>(elements_of(*local.graph)) / static_cast<double>(all));
  std::string text = c10::str("model '", network.name(), "' over ", ranks, " devices, ", share,
                              " % of its parameters on the first:\n");
  std::vector<std::vector<std::string>> rows{{"layer", "split", "exchanges"}};
  for (const auto& layer : local.plan) {
    if (layer.weights == 0 && layer.collectives.empty()) continue;
    rows.push_back({c10::str(layer.name, " (", layer.class_name, ")"),
                    layer.how.empty() ? "whole: " + layer.why : layer.how, joined(layer.collectives)});
  }
  std::vector<std::size_t> widths(3);
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  for (const auto& row : rows) {
    std::string line = c10::str("  ", padded(row[0], widths[0]), "  ", padded(row[1], widths[1]), "  ", row[2]);
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

std::string tensor_plan(const Network& network, int64_t ranks) {
  return tensor_plan(make_local_network(network, {0, ranks}), network, ranks);
}

}  // namespace tandem::sharding
