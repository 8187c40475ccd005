#include <c10/util/StringUtil.h>

#include "tandem/cluster/jobs.h"
#include "tandem/cluster/sources.h"
#include "tandem/core/config.h"
#include "tandem/core/error.h"

namespace tandem::cluster {
namespace {

[[noreturn]] void fail(const std::string& field, const std::string& must, const Config& got) {
  throw InvalidArgument(c10::str("TF_CONFIG: ", field, " must be ", must, ", got ", got.shown()));
}

std::vector<Address> addresses_of(const std::string& job, const Config& given) {
  const auto field = "cluster." + job;
  if (!given.is_list()) fail(field, "a list of \"host:port\"", given);
  std::vector<Address> addresses;
  for (const auto& one : given.as_list()) {
    if (!one.is_string()) fail(field, "a list of \"host:port\"", given);
    addresses.push_back(Address::parse(one.as_string(), "TF_CONFIG: " + field));
  }
  return addresses;
}

Jobs jobs_of(const Config& cluster) {
  Jobs jobs;
  for (const auto& [name, given] : cluster.as_object()) {
    const auto addresses = addresses_of(name, given);
    switch (parse_role(name, "TF_CONFIG: job")) {
      case Role::chief:
        jobs.chief.insert(jobs.chief.end(), addresses.begin(), addresses.end());
        break;
      case Role::worker:
        jobs.workers = addresses;
        break;
      case Role::server:
        jobs.servers = addresses;
        break;
      case Role::evaluator:
        jobs.evaluators = addresses;
        break;
    }
  }
  return jobs;
}

int64_t index_of(const Config& task) {
  const Config &index = task.get("index", {}), &id = task.get("task_id", {});
  if (!index.is_null() && !id.is_null() && index != id)
    fail("task.index and task.task_id", "equal where both are given", task);
  const Config given = index.is_null() ? id : index;
  // Some write it as a text.
  if (given.is_string()) {
    const auto& text = given.as_string();
    if (!text.empty() && text.size() < 10 && text.find_first_not_of("0123456789") == std::string::npos)
      return std::stoll(text);
  }
  if (!given.is_int() || given.as_int() < 0) fail("task.index", "a whole number of at least 0", given);
  return given.as_int();
}

Config texts_of(const std::vector<Address>& addresses) {
  Config::List texts;
  for (const auto& address : addresses) texts.emplace_back(address.to_string());
  return texts;
}

}  // namespace

std::optional<Membership> from_tf_config(const Environment& environment) {
  const auto text = environment.get("TF_CONFIG");
  if (!text) return std::nullopt;
  Config config;
  try {
    config = Config::from_json(*text);
  } catch (const DataError& error) {
    throw InvalidArgument(c10::str("TF_CONFIG: must be JSON: ", error.what()));
  }
  if (!config.is_object()) fail("it", "an object", config);
  const Config cluster = config.get("cluster", Config::object());
  if (!cluster.is_object()) fail("cluster", "an object", cluster);
  if (cluster.as_object().empty()) return std::nullopt;
  const Config task = config.get("task", {});
  if (!task.is_object()) fail("task", "an object with type and index", task);
  const Config type = task.get("type", {});
  if (!type.is_string()) fail("task.type", "a text", type);
  const Config said_by = config.get("said_by", "TF_CONFIG");
  if (!said_by.is_string()) fail("said_by", "a text", said_by);
  return member_of(jobs_of(cluster), parse_role(type.as_string(), "TF_CONFIG: task.type"), index_of(task),
                   said_by.as_string(), "task.index");
}

std::string tf_config_of(const Jobs& jobs, const std::string& role, int64_t index, const std::string& said_by) {
  Config cluster = Config::object();
  for (const auto& [name, addresses] : {std::pair("chief", &jobs.chief), std::pair("ps", &jobs.servers),
                                        std::pair("worker", &jobs.workers), std::pair("evaluator", &jobs.evaluators)}) {
    if (!addresses->empty()) cluster.set(name, texts_of(*addresses));
  }
  auto config = Config::object({{"cluster", cluster}, {"task", Config::object({{"type", role}, {"index", index}})}});
  if (!said_by.empty()) config.set("said_by", said_by);
  return config.to_json();
}

}  // namespace tandem::cluster
