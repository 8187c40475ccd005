#include "tandem/servers/server_plan.h"

#include <c10/util/StringUtil.h>

#include <algorithm>

#include "tandem/comm/byte_stream.h"
#include "tandem/core/error.h"

namespace tandem::servers {
namespace {

constexpr int64_t kMost = int64_t{1} << 40;  // of any number in a plan
constexpr int64_t kMostWorkers = 4096, kMostServers = 4096;
constexpr uint32_t kPlanMark = 0x334e4c50;  // "PLN3"

// True when the weight lies within the buffer and each of its elements within the weight.
bool fits(const PlannedWeight& weight, int64_t elements) {
  int64_t count = 1;
  for (const auto size : weight.shape) {
    if (size < 0 || size > kMost || (size > 0 && count > kMost / size)) return false;
    count *= size;
  }
  if (weight.offset < 0 || weight.offset > elements || count > elements - weight.offset) return false;
  if (weight.strides.empty() || count == 0) return true;
  if (weight.strides.size() != weight.shape.size()) return false;
  int64_t last = 0;
  for (std::size_t i = 0; i < weight.shape.size(); ++i) {
    const auto stride = weight.strides[i];
    if (stride < 0 || (stride > 0 && weight.shape[i] - 1 > (count - 1 - last) / stride)) return false;
    last += (weight.shape[i] - 1) * stride;
  }
  return true;
}

bool are_edges(const std::vector<int64_t>& edges, int64_t elements) {
  return edges.size() >= 2 && edges.front() == 0 && edges.back() == elements &&
         std::adjacent_find(edges.begin(), edges.end(), std::greater_equal<>()) == edges.end();
}

std::string fault_of_tables(const ServerPlan& plan) {
  int64_t end = plan.dense_elements();
  for (std::size_t i = 0; i < plan.weights.size(); ++i) {
    const auto& weight = plan.weights[i];
    if (!weight.is_table && weight.offset < plan.dense_elements()) continue;
    if (!weight.is_table || weight.shape.empty() || weight.count() == 0 || !weight.strides.empty() ||
        weight.offset != end || weight.row() * static_cast<int64_t>(sizeof(float)) > kLongestBlock)
      return c10::str("table '", weight.name,
                      "' must lie row by row behind what comes before, and have rows of at most ", kLongestBlock,
                      " bytes");
    end += weight.count();
  }
  return end == plan.elements ? "" : "tables must lie behind all other weights";
}

// What is wrong with the numbers and weights; empty: nothing.
std::string fault_of(const ServerPlan& plan) {
  const auto in = [](int64_t value, int64_t least) { return value >= least && value < kMost; };
  if (plan.mode > ServerMode::async) return "mode must be sync, stale or async";
  if (!in(plan.workers, 1) || plan.workers > kMostWorkers)
    return c10::str("workers must be from 1 to ", kMostWorkers, ", got ", plan.workers);
  if (!in(plan.staleness, 0)) return c10::str("staleness must be at least 0, got ", plan.staleness);
  if (!in(plan.backup_workers, 0) || plan.backup_workers >= plan.workers)
    return c10::str("backup workers must be fewer than the ", plan.workers, " workers, got ", plan.backup_workers);
  if (plan.backup_workers > 0 && plan.mode != ServerMode::sync)
    return c10::str("backup workers are for mode sync, got mode ", name_of(plan.mode));
  if (!in(plan.sync_every, 0)) return c10::str("sync_every must be at least 0, got ", plan.sync_every);
  if (!in(plan.elements, 1))
    return c10::str("there must be weights that are trained, got ", plan.elements, " elements");
  int64_t end = 0;
  for (const auto& weight : plan.weights) {
    if (!fits(weight, plan.elements) || weight.offset < end)
      return c10::str("weight '", weight.name, "' must lie in the buffer of ", plan.elements,
                      " elements behind the one before, got offset ", weight.offset);
    end = weight.offset + weight.count();
  }
  return fault_of_tables(plan);
}

std::string fault_of_edges(const ServerPlan& plan) {
  if (!are_edges(plan.server_edges, plan.elements) || !are_edges(plan.block_edges, plan.elements))
    return "edges must rise from 0 to the number of elements";
  if (!std::includes(plan.block_edges.begin(), plan.block_edges.end(), plan.server_edges.begin(),
                     plan.server_edges.end()))
    return "each edge of a server must be one of a block";
  for (const auto& weight : plan.weights) {
    if (!weight.is_table) continue;
    const auto first = std::lower_bound(plan.block_edges.begin(), plan.block_edges.end(), weight.offset);
    const auto last = std::lower_bound(first, plan.block_edges.end(), weight.offset + weight.count());
    const bool at_rows =
        *first == weight.offset && *last == weight.offset + weight.count() &&
        std::all_of(first, last, [&](int64_t edge) { return (edge - weight.offset) % weight.row() == 0; });
    if (!at_rows) return c10::str("blocks of table '", weight.name, "' must be of whole rows");
  }
  return {};
}

void check_optimizer(const Optimizer& optimizer, int64_t servers) {
  const auto where = "parameter servers: " + optimizer.class_name();
  if (optimizer.class_name() == "LossScaleOptimizer" || optimizer.loss_scale(optimizer.initial_numbers()) != 1)
    throw InvalidArgument(where + " scales the loss, which servers do not know; use a rule without loss scaling");
  if (servers > 1 && optimizer.clipping().global_clipnorm > 0)
    throw InvalidArgument(c10::str(where, ": global_clipnorm needs the norm over all weights, which none of ", servers,
                                   " servers sees; use one server, or clipnorm"));
}

bool divides_anywhere(const ServerPlan& plan, const Optimizer& optimizer) {
  return optimizer.elementwise() && optimizer.clipping().clipnorm == 0 && !plan.constrained();
}

// The begin of a row that is nearest to `edge`, where that is in a table.
int64_t at_row(const ServerPlan& plan, int64_t edge) {
  for (const auto& weight : plan.weights) {
    if (!weight.is_table || edge < weight.offset || edge >= weight.offset + weight.count()) continue;
    return weight.offset + (edge - weight.offset + weight.row() / 2) / weight.row() * weight.row();
  }
  return edge;
}

// Divides [begin, end) into blocks of at most `most` elements, as even as they go, of `whole` elements together.
void add_blocks(std::vector<int64_t>& edges, int64_t begin, int64_t end, int64_t most, int64_t whole) {
  const int64_t size = (end - begin) / whole, largest = std::max<int64_t>(most / whole, 1);
  const int64_t count = (size + largest - 1) / largest;
  for (int64_t b = 1; b <= count; ++b) edges.push_back(begin + size * b / count * whole);
}

// Begins of the ranges behind the first: the weight's begin that is nearest to an even share, leaving one weight to
// each range.
std::vector<int64_t> edges_between_weights(const ServerPlan& plan, int64_t servers) {
  const auto count = static_cast<int64_t>(plan.weights.size());
  if (servers > count)
    throw InvalidArgument(c10::str("parameter servers: each must have a whole weight with ", plan.optimizer,
                                   plan.constrained() ? " and constraints" : "", ", got ", servers, " servers for ",
                                   count, " weights"));
  const auto begin = [&](int64_t i) { return plan.weights[static_cast<std::size_t>(i)].offset; };
  std::vector<int64_t> edges;
  int64_t first = 0;
  for (int64_t s = 1; s < servers; ++s) {
    const int64_t even = plan.elements / servers * s;
    for (++first; first < count - (servers - s) && begin(first + 1) <= even; ++first) {
    }
    const bool next_is_nearer = first < count - (servers - s) && begin(first + 1) - even < even - begin(first);
    if (next_is_nearer) ++first;
    edges.push_back(begin(first));
  }
  return edges;
}

}  // namespace

ServerMode server_mode(const std::string& name) {
  for (const auto mode : {ServerMode::sync, ServerMode::stale, ServerMode::async}) {
    if (name == name_of(mode)) return mode;
  }
  throw_unknown_name("server mode", name, {"sync", "stale", "async"});
}

const char* name_of(ServerMode mode) {
  return mode == ServerMode::sync ? "sync" : mode == ServerMode::stale ? "stale" : "async";
}

int64_t PlannedWeight::count() const {
  int64_t count = 1;
  for (const auto size : shape) count *= size;
  return count;
}

int64_t ServerPlan::first_block(int64_t server) const {
  return std::lower_bound(block_edges.begin(), block_edges.end(), server_begin(server)) - block_edges.begin();
}

int64_t ServerPlan::server_of(int64_t block) const {
  return std::upper_bound(server_edges.begin(), server_edges.end(), block_begin(block)) - server_edges.begin() - 1;
}

int64_t ServerPlan::largest_block() const {
  int64_t largest = 0;
  for (int64_t b = 0; b < blocks() && block_begin(b) < dense_elements(); ++b)
    largest = std::max(largest, block_elements(b));
  return largest;
}

int64_t ServerPlan::dense_elements() const {
  int64_t dense = elements;
  for (auto weight = weights.rbegin(); weight != weights.rend() && weight->is_table; ++weight) dense = weight->offset;
  return dense;
}

std::optional<std::size_t> ServerPlan::table_of(int64_t block) const {
  if (block < 0 || block >= blocks()) return {};
  for (std::size_t i = weights.size(); i > 0 && weights[i - 1].is_table; --i) {
    if (weights[i - 1].offset <= block_begin(block)) return i - 1;
  }
  return {};
}

bool ServerPlan::constrained() const {
  return std::any_of(weights.begin(), weights.end(), [](const auto& weight) { return !weight.constraint.empty(); });
}

std::string ServerPlan::encode() const {
  comm::ByteWriter to;
  to.number(kPlanMark);
  to.number(mode);
  for (const auto n : {workers, staleness, backup_workers, elements, sync_every}) to.number(n);
  to.text(server_sync);
  to.text(optimizer);
  to.text(optimizer_config);
  to.numbers(server_edges);
  to.numbers(block_edges);
  for (const auto& weight : weights) {
    to.text(weight.name);
    to.number(weight.offset);
    to.numbers(weight.shape);
    to.numbers(weight.strides);
    to.number(static_cast<uint8_t>(weight.is_table));
    to.text(weight.constraint);
    to.text(weight.constraint_config);
    to.number(weight.number);
  }
  return to.take();
}

ServerPlan ServerPlan::decode(std::string_view bytes) {
  comm::ByteReader from(bytes);
  const bool marked = from.number<uint32_t>() == kPlanMark;
  ServerPlan plan;
  plan.mode = from.number<ServerMode>();
  for (auto* n : {&plan.workers, &plan.staleness, &plan.backup_workers, &plan.elements, &plan.sync_every})
    *n = from.number<int64_t>();
  plan.server_sync = from.text();
  plan.optimizer = from.text();
  plan.optimizer_config = from.text();
  plan.server_edges = from.numbers<int64_t>();
  plan.block_edges = from.numbers<int64_t>();
  while (marked && from.good() && !from.at_end()) {
    PlannedWeight weight{from.text(), from.number<int64_t>(), {}};
    weight.shape = from.numbers<int64_t>();
    weight.strides = from.numbers<int64_t>();
    weight.is_table = from.number<uint8_t>() != 0;
    weight.constraint = from.text();
    weight.constraint_config = from.text();
    weight.number = from.number<int64_t>();
    plan.weights.push_back(std::move(weight));
  }
  if (!marked || !from.at_end()) throw DataError("plan of the servers: must be one, got other bytes");
  auto fault = fault_of(plan);
  if (fault.empty()) fault = fault_of_edges(plan);
  if (!fault.empty()) throw DataError("plan of the servers: " + fault);
  return plan;
}

ServerPlan divide_among_servers(ServerPlan plan, const Optimizer& optimizer, int64_t servers, int64_t block_bytes,
                                int64_t table_block_bytes) {
  std::stable_sort(plan.weights.begin(), plan.weights.end(),
                   [](const auto& a, const auto& b) { return a.offset < b.offset; });
  if (const auto fault = fault_of(plan); !fault.empty()) throw InvalidArgument("parameter servers: " + fault);
  const int64_t most = std::min(plan.elements, kMostServers);
  if (servers < 1 || servers > most)
    throw InvalidArgument(
        c10::str("parameter servers: must be from 1 to ", most, " for ", plan.elements, " parameters, got ", servers));
  for (const auto bytes : {block_bytes, table_block_bytes}) {
    if (bytes < 4 || bytes > kLongestBlock)
      throw InvalidArgument(
          c10::str("parameter servers: a block must have from 4 to ", kLongestBlock, " bytes, got ", bytes));
  }
  check_optimizer(optimizer, servers);
  plan.optimizer = optimizer.class_name();
  plan.optimizer_config = optimizer.get_config().to_json();
  plan.server_edges = {0};
  if (divides_anywhere(plan, optimizer)) {
    for (int64_t s = 1; s < servers; ++s) plan.server_edges.push_back(at_row(plan, plan.elements * s / servers));
  } else {
    for (const auto edge : edges_between_weights(plan, servers)) plan.server_edges.push_back(edge);
  }
  plan.server_edges.push_back(plan.elements);
  if (!are_edges(plan.server_edges, plan.elements))
    throw InvalidArgument(c10::str(
        "parameter servers: tables are divided between rows, of which there are too few for ", servers, " servers"));
  plan.block_edges = {0};
  for (int64_t s = 0; s < servers; ++s) {
    const int64_t begin = plan.server_begin(s), end = plan.server_begin(s + 1), dense = plan.dense_elements();
    if (begin < dense) add_blocks(plan.block_edges, begin, std::min(end, dense), block_bytes / 4, 1);
    for (const auto& weight : plan.weights) {
      const int64_t first = std::max(weight.offset, begin), last = std::min(weight.offset + weight.count(), end);
      if (weight.is_table && first < last)
        add_blocks(plan.block_edges, first, last, table_block_bytes / 4, weight.row());
    }
  }
  if (const auto fault = fault_of_edges(plan); !fault.empty()) throw InvalidArgument("parameter servers: " + fault);
  return plan;
}

std::shared_ptr<Optimizer> make_optimizer(const ServerPlan& plan) {
  auto optimizer = Optimizer::make(plan.optimizer, Config::from_json(plan.optimizer_config));
  check_optimizer(*optimizer, plan.servers());
  return optimizer;
}

}  // namespace tandem::servers
