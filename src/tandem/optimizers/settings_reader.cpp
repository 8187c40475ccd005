#include "tandem/optimizers/settings_reader.h"

#include <c10/util/StringUtil.h>

#include <algorithm>

#include "tandem/core/error.h"

namespace tandem {
namespace {

const Config& empty_settings() {
  static const Config empty = Config::object();
  return empty;
}

/// What `get` returns; a DataError that it throws gets the member's name in front.
template <class Get>
auto named(const std::string& where, const char* key, const Get& get) {
  try {
    return get();
  } catch (const DataError& error) {
    throw DataError(c10::str(where, ": '", key, "' of its ", error.what()));
  }
}

}  // namespace

SettingsReader::SettingsReader(std::string where, const Config& config)
    : where_(std::move(where)), config_(config.is_null() ? empty_settings() : config) {
  if (!config_.is_object())
    throw DataError(c10::str(where_, ": its config must be an object, got ", config_.to_json()));
}

const Config* SettingsReader::find(const char* key) {
  known_.emplace_back(key);
  if (!config_.contains(key)) return nullptr;
  const Config& member = config_.at(key);
  return member.is_null() ? nullptr : &member;
}

const Config& SettingsReader::required(const char* key) {
  if (const Config* member = find(key)) return *member;
  throw DataError(c10::str(where_, ": its config must have '", key, "', got ", config_.to_json()));
}

SettingsReader& SettingsReader::ignore(const char* key) {
  known_.emplace_back(key);
  return *this;
}

SettingsReader& SettingsReader::refuse(const char* key, double neutral) {
  const Config* member = find(key);
  if (!member || (member->is_bool() && !member->as_bool()) || (member->is_number() && member->as_double() == neutral))
    return *this;
  throw InvalidArgument(c10::str(where_, ": ", key, " is not supported and must be left out, got ", member->to_json()));
}

void SettingsReader::finish() const {
  for (const auto& [key, value] : config_.as_object()) {
    if (std::find(known_.begin(), known_.end(), key) == known_.end())
      throw_unknown_name(where_ + ": setting", key, known_);
  }
}

void SettingsReader::take(const char* key, const Config& member, double& value) const {
  value = named(where_, key, [&] { return member.as_double(); });
}

void SettingsReader::take(const char* key, const Config& member, std::optional<double>& value) const {
  value = named(where_, key, [&] { return member.as_double(); });
}

void SettingsReader::take(const char* key, const Config& member, int64_t& value) const {
  value = named(where_, key, [&] { return member.as_int(); });
}

void SettingsReader::take(const char* key, const Config& member, bool& value) const {
  value = named(where_, key, [&] { return member.as_bool(); });
}

void SettingsReader::take(const char* key, const Config& member, std::string& value) const {
  value = named(where_, key, [&] { return member.as_string(); });
}

void SettingsReader::take(const char* key, const Config& member, std::vector<int64_t>& value) const {
  value = named(where_, key, [&] { return member.as_ints(); });
}

void SettingsReader::take(const char* key, const Config& member, std::vector<double>& value) const {
  value = named(where_, key, [&] {
    std::vector<double> numbers;
    for (const Config& number : member.as_list()) numbers.push_back(number.as_double());
    return numbers;
  });
}

void SettingsReader::take(const char* key, const Config& member, LearningRate& value) const {
  value = named(where_, key, [&]() -> LearningRate {
    if (!member.is_object()) return member.as_double();
    return LearningRateSchedule::make(member.at("class_name").as_string(), member.at("config"));
  });
}

}  // namespace tandem
