#include "tandem/servers/plan_difference.h"

#include <ATen/core/Tensor.h>
#include <c10/util/StringUtil.h>

#include "tandem/core/config.h"

namespace tandem::servers {
namespace {

template <class Value>
std::string apart(const std::string& what, const Value& own, const Value& first) {
  return own == first ? std::string() : c10::str(what, " ", own, " where worker 0 has ", first);
}

std::string shown(const PlannedWeight& weight) {
  return c10::str("'", weight.name, "' ", c10::IntArrayRef(weight.shape));
}

// Both are JSON objects of one optimizer's arguments.
std::string apart_in_config(const ServerPlan& own, const ServerPlan& first) {
  const auto a = Config::from_json(own.optimizer_config), b = Config::from_json(first.optimizer_config);
  for (const auto& [name, value] : b.as_object()) {
    const auto text =
        apart("optimizer's " + name, a.contains(name) ? a.at(name).shown() : std::string("none"), value.shown());
    if (!text.empty()) return text;
  }
  return apart<std::string>("an optimizer of", own.optimizer_config, first.optimizer_config);
}

std::string apart_in_weights(const ServerPlan& own, const ServerPlan& first) {
  auto text = apart("number of weights", own.weights.size(), first.weights.size());
  for (std::size_t i = 0; text.empty() && i < own.weights.size(); ++i) {
    const auto &a = own.weights[i], &b = first.weights[i];
    text = apart(c10::str("weight ", i), shown(a), shown(b));
    if (text.empty() && a != b) text = c10::str("weight ", i, " ", shown(a), " at another place than worker 0");
  }
  return text;
}

}  // namespace

std::string plan_difference(const ServerPlan& own, const ServerPlan& first) {
  if (own == first) return "";
  for (const auto& text :
       {apart("mode", std::string(name_of(own.mode)), std::string(name_of(first.mode))),
        apart("number of workers", own.workers, first.workers), apart("staleness", own.staleness, first.staleness),
        apart("backup workers", own.backup_workers, first.backup_workers),
        apart("optimizer", own.optimizer, first.optimizer)}) {
    if (!text.empty()) return text;
  }
  if (const auto text = apart_in_config(own, first); !text.empty()) return text;
  if (const auto text = apart_in_weights(own, first); !text.empty()) return text;
  if (const auto text = apart("number of servers", own.servers(), first.servers()); !text.empty()) return text;
  return "messages of other sizes than worker 0 (bucket_bytes)";
}

}  // namespace tandem::servers
