#include "tandem/report/diagram_layers.h"

#include <c10/util/StringUtil.h>

#include <algorithm>
#include <set>
#include <utility>

#include "tandem/core/error.h"

namespace tandem::report {
namespace {

using Rows = std::vector<std::vector<std::size_t>>;

// Each node's number in an order in which edges lead to later nodes, but for one or more of each circle.
std::vector<std::size_t> number_nodes(std::size_t nodes, const std::vector<DiagramEdge>& edges) {
  std::vector<std::vector<std::size_t>> below(nodes);
  std::vector<std::size_t> waits_for(nodes, 0);
  for (const auto& edge : edges) {
    if (edge.from == edge.to) continue;
    below[edge.from].push_back(edge.to);
    ++waits_for[edge.to];
  }
  std::set<std::size_t> ready, left;
  for (std::size_t i = 0; i < nodes; ++i) (waits_for[i] == 0 ? ready : left).insert(i);
  std::vector<std::size_t> number(nodes, 0);
  for (std::size_t next = 0; next < nodes; ++next) {
    auto& from = ready.empty() ? left : ready;  // what is left then is, or hangs on, a circle
    const std::size_t node = *from.begin();
    from.erase(from.begin());
    number[node] = next;
    for (const std::size_t to : below[node]) {
      if (--waits_for[to] == 0 && left.erase(to) > 0) ready.insert(to);
    }
  }
  return number;
}

// The row of each node; edges go from the first to the second.
using Pairs = std::vector<std::pair<std::size_t, std::size_t>>;
std::vector<std::size_t> rows_of_nodes(const std::vector<std::size_t>& number, const Pairs& down) {
  constexpr auto kNone = static_cast<std::size_t>(-1);
  const std::size_t nodes = number.size();
  std::vector<std::vector<std::size_t>> below(nodes);
  std::vector<bool> has_above(nodes);
  for (const auto& [from, to] : down) {
    below[from].push_back(to);
    has_above[to] = true;
  }
  std::vector<std::size_t> in_order(nodes);
  for (std::size_t i = 0; i < nodes; ++i) in_order[number[i]] = i;
  std::vector<std::size_t> row(nodes, 0);
  for (const std::size_t node : in_order) {
    for (const std::size_t to : below[node]) row[to] = std::max(row[to], row[node] + 1);
  }
  for (std::size_t i = 0; i < nodes; ++i) {
    std::size_t first = kNone;
    for (const std::size_t to : below[i]) first = std::min(first, row[to]);
    if (!has_above[i] && first != kNone) row[i] = first - 1;
  }
  return row;
}

std::vector<std::size_t> places(const DiagramLayers& layers) {
  std::vector<std::size_t> place(layers.vertices.size());
  for (const auto& row : layers.rows) {
    for (std::size_t i = 0; i < row.size(); ++i) place[row[i]] = i;
  }
  return place;
}

// Sorts the row by the mean place of each vertex's neighbours on one side; one without stays about where it is.
void sort_row(DiagramLayers& layers, std::size_t number, bool by_above, std::vector<std::size_t>& place) {
  auto& row = layers.rows[number];
  std::vector<std::pair<double, std::size_t>> wanted;
  for (const std::size_t v : row) {
    const auto& beside = by_above ? layers.vertices[v].above : layers.vertices[v].below;
    double sum = 0;
    for (const std::size_t other : beside) sum += static_cast<double>(place[other]);
    wanted.emplace_back(beside.empty() ? static_cast<double>(place[v]) : sum / static_cast<double>(beside.size()), v);
  }
  std::stable_sort(wanted.begin(), wanted.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (std::size_t i = 0; i < row.size(); ++i) {
    row[i] = wanted[i].second;
    place[row[i]] = i;
  }
}

// Sweeps down and up by turns and keeps the best order seen.
void order_rows(DiagramLayers& layers) {
  constexpr int kSweeps = 16;
  Rows best = layers.rows;
  int64_t fewest = crossings(layers);
  auto place = places(layers);
  for (int sweep = 0; sweep < kSweeps && fewest > 0; ++sweep) {
    const bool down = sweep % 2 == 0;
    const std::size_t count = layers.rows.size();
    for (std::size_t k = 1; k < count; ++k) sort_row(layers, down ? k : count - 1 - k, down, place);
    if (const int64_t now = crossings(layers); now < fewest) {
      fewest = now;
      best = layers.rows;
    }
  }
  layers.rows = std::move(best);
}

}  // namespace

int64_t crossings(const DiagramLayers& layers) {
  const auto place = places(layers);
  int64_t count = 0;
  for (const auto& row : layers.rows) {
    std::vector<std::size_t> ends;  // of the edges that leave the row, from left to right
    for (const std::size_t v : row) {
      const auto first = static_cast<std::ptrdiff_t>(ends.size());
      for (const std::size_t to : layers.vertices[v].below) ends.push_back(place[to]);
      std::sort(ends.begin() + first, ends.end());  // edges from one vertex do not cross
    }
    for (std::size_t i = 0; i < ends.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) count += ends[j] > ends[i];
    }
  }
  return count;
}

DiagramLayers diagram_layers(std::size_t nodes, const std::vector<DiagramEdge>& edges) {
  for (const auto& edge : edges) {
    if (std::max(edge.from, edge.to) >= nodes) {
      throw InvalidArgument(c10::str("a diagram's edges must be between its ", nodes, " nodes; received one from ",
                                     edge.from, " to ", edge.to));
    }
  }
  const auto number = number_nodes(nodes, edges);
  Pairs down;
  for (const auto& [from, to] : edges) {
    if (from != to) down.push_back(number[from] < number[to] ? std::pair{from, to} : std::pair{to, from});
  }
  DiagramLayers layers;
  for (const std::size_t row : rows_of_nodes(number, down)) layers.vertices.push_back({row, {}, {}});
  auto next = down.begin();
  for (const auto& edge : edges) {
    auto& path = layers.paths.emplace_back();
    if (edge.from == edge.to) {
      path.push_back(edge.from);
      continue;
    }
    const auto [top, bottom] = *next++;
    path.push_back(top);
    for (std::size_t row = layers.vertices[top].row + 1; row < layers.vertices[bottom].row; ++row) {
      path.push_back(layers.vertices.size());
      layers.vertices.push_back({row, {}, {}});
    }
    path.push_back(bottom);
    for (std::size_t i = 1; i < path.size(); ++i) {
      layers.vertices[path[i - 1]].below.push_back(path[i]);
      layers.vertices[path[i]].above.push_back(path[i - 1]);
    }
  }
  for (std::size_t v = 0; v < layers.vertices.size(); ++v) {
    const std::size_t row = layers.vertices[v].row;
    if (row >= layers.rows.size()) layers.rows.resize(row + 1);
    layers.rows[row].push_back(v);
  }
  order_rows(layers);
  return layers;
}

}  // namespace tandem::report
