#include "tandem/distribution/server_setup.h"

#include <c10/util/StringUtil.h>

#include <algorithm>
#include <atomic>

namespace tandem::distribute {
namespace {

std::string own_address() {
  static std::atomic<int64_t> count{0};
  return c10::str("inproc://parameter server ", count++);
}

}  // namespace

bool moves_by_rows(const Weight& weight) {
  const auto& variable = weight.variable();
  const int64_t row = variable.is_table && variable.shape[0] > 0 ? variable.shape.count() / variable.shape[0] : 0;
  return row > 0 && row * static_cast<int64_t>(sizeof(float)) <= servers::kLongestBlock && !variable.regularizer &&
         !variable.constraint && variable.value.is_contiguous();
}

std::vector<FlatPlace> places_behind(const FlatWeights& weights, const std::vector<Weight>& tables) {
  std::vector<FlatPlace> places;
  int64_t end = weights.parameters().numel();
  for (const auto& table : tables) {
    places.push_back({end, table.shape().count()});
    end += table.shape().count();
  }
  return places;
}

ServerSetup::ServerSetup(const ServerChoice& choice) : choice_(choice) {
  if (choice_.own == 0) return;
  for (int64_t s = 0; s < choice_.own; ++s) choice_.addresses.push_back(own_address());
  for (int64_t s = 0; s < choice_.own; ++s) {
    servers::ServerOptions options{.address = choice_.addresses[static_cast<std::size_t>(s)]};
    if (per_host()) {
      options.hosts = choice_.addresses;
      options.host = s;
      options.server_sync = choice_.server_sync;
      options.sync_every = choice_.sync_every;
    }
    own_.push_back(std::make_unique<servers::Server>(std::move(options)));
  }
}

servers::ServerPlan ServerSetup::plan(const std::vector<Weight>& trained, const FlatWeights& weights,
                                      const std::vector<Weight>& tables, const Optimizer& optimizer, int64_t workers,
                                      int64_t worker) const {
  const auto number_of = [&](const Weight& weight) {
    return std::find(trained.begin(), trained.end(), weight) - trained.begin();
  };
  servers::ServerPlan plan{.mode = choice_.mode,
                           .workers = workers,
                           .staleness = choice_.staleness,
                           .backup_workers = choice_.backup_workers,
                           .elements = weights.parameters().numel()};
  if (per_host()) {
    plan.workers = std::count(choice_.server_of.begin(), choice_.server_of.end(), host_of(worker));
    plan.server_sync = choice_.server_sync;
    plan.sync_every = choice_.sync_every;
  }
  for (std::size_t i = 0; i < weights.weights().size(); ++i) {
    const auto& weight = weights.weights()[i];
    const Tensor place = weights.view(weights.parameters(), i);
    const auto& constraint = weight.variable().constraint;
    plan.weights.push_back({.name = weight.name(),
                            .offset = weights.places()[i].offset,
                            .shape = place.sizes().vec(),
                            .strides = place.strides().vec(),
                            .constraint = constraint ? constraint->class_name() : "",
                            .constraint_config = constraint ? constraint->get_config().to_json() : "",
                            .number = number_of(weight)});
  }
  const auto places = places_behind(weights, tables);
  for (std::size_t t = 0; t < tables.size(); ++t) {
    plan.weights.push_back({.name = tables[t].name(),
                            .offset = places[t].offset,
                            .shape = tables[t].shape().sizes(),
                            .is_table = true,
                            .number = number_of(tables[t])});
    plan.elements += places[t].count;
  }
  const auto servers = per_host() ? 1 : static_cast<int64_t>(choice_.addresses.size());
  return servers::divide_among_servers(std::move(plan), optimizer, servers, choice_.block_bytes);
}

servers::ClientOptions ServerSetup::client(int64_t worker) const {
  servers::ClientOptions options{
      .servers = choice_.addresses, .worker = place_of(worker), .key = choice_.key, .stop = choice_.stop};
  if (!per_host()) return options;
  options.first = host_of(worker);
  options.all = choice_.addresses.size();
  options.servers = {choice_.addresses[static_cast<std::size_t>(options.first)]};
  return options;
}

servers::ClientOptions ServerSetup::desk(int64_t place) const {
  return {.servers = choice_.addresses, .worker = place, .key = choice_.key, .stop = choice_.stop};
}

int64_t ServerSetup::place_of(int64_t worker) const {
  if (!per_host()) return worker;
  return std::count(choice_.server_of.begin(), choice_.server_of.begin() + worker, host_of(worker));
}

int64_t ServerSetup::rows_on_host(const std::vector<int64_t>& edges, int64_t worker) const {
  int64_t rows = 0;
  for (std::size_t w = 0; w < choice_.server_of.size(); ++w) {
    if (choice_.server_of[w] == host_of(worker)) rows += edges[w + 1] - edges[w];
  }
  return rows;
}

}  // namespace tandem::distribute
