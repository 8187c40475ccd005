#include "tandem/core/config_reader.h"

#include <c10/util/StringUtil.h>

#include <algorithm>

namespace tandem {
namespace {

const Config& empty_config() {
  static const Config empty = Config::object();
  return empty;
}

}  // namespace

void read_member(const Config& member, bool& value) { value = member.as_bool(); }
void read_member(const Config& member, int64_t& value) { value = member.as_int(); }
void read_member(const Config& member, double& value) { value = member.as_double(); }
void read_member(const Config& member, std::string& value) { value = member.as_string(); }
void read_member(const Config& member, std::vector<int64_t>& value) { value = member.as_ints(); }

void read_member(const Config& member, std::vector<double>& value) {
  std::vector<double> numbers;
  for (const Config& number : member.as_list()) numbers.push_back(number.as_double());
  value = std::move(numbers);
}

ConfigReader::ConfigReader(std::string where, const Config& config)
    : where_(std::move(where)), config_(config.is_null() ? empty_config() : config) {
  if (!config_.is_object()) throw DataError(c10::str(where_, ": its config must be an object, got ", config_.shown()));
}

const Config* ConfigReader::find(const char* key) {
  ignore(key);
  if (!config_.contains(key)) return nullptr;
  const Config& member = config_.at(key);
  return member.is_null() ? nullptr : &member;
}

const Config& ConfigReader::required(const char* key) {
  if (const Config* member = find(key)) return *member;
  throw DataError(c10::str(where_, ": its config must have '", key, "', got ", config_.shown()));
}

ConfigReader& ConfigReader::ignore(const char* key) {
  known_.emplace_back(key);
  return *this;
}

ConfigReader& ConfigReader::refuse(const char* key, double neutral) {
  const Config* member = find(key);
  if (!member || (member->is_bool() && !member->as_bool()) || (member->is_number() && member->as_double() == neutral))
    return *this;
  throw InvalidArgument(c10::str(where_, ": ", key, " is not supported and must be left out, got ", member->shown()));
}

bool ConfigReader::has_null(const char* key) const { return config_.contains(key) && config_.at(key).is_null(); }

void ConfigReader::finish() const {
  for (const auto& [key, value] : config_.as_object()) {
    if (std::find(known_.begin(), known_.end(), key) == known_.end())
      throw_unknown_name(where_ + ": setting", key, known_);
  }
}

void ConfigReader::throw_about(const char* key, const DataError& error) const {
  throw DataError(c10::str(where_, ": '", key, "' of its ", error.what()));
}

}  // namespace tandem
