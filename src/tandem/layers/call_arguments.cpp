#include "tandem/layers/call_arguments.h"

#include <algorithm>

#include "tandem/core/error.h"

namespace tandem {
namespace {

constexpr const char* kTensor = "__tensor__";

}  // namespace

Config CallArguments::tensor(int64_t number) { return Config::object({{kTensor, number}}); }

std::optional<int64_t> CallArguments::tensor_number(const Config& argument) {
  if (!argument.is_object() || !argument.contains(kTensor)) return {};
  return argument.at(kTensor).as_int();
}

const Config& CallArguments::at(std::size_t position, const std::string& name) const {
  static const Config none;
  if (position < args.size()) return args[position];
  return kwargs.contains(name) ? kwargs.at(name) : none;
}

std::optional<int64_t> CallArguments::tensor_at(std::size_t position, const std::string& name) const {
  const Config& argument = at(position, name);
  if (argument.is_null()) return {};
  const auto number = tensor_number(argument);
  if (!number) throw DataError("call argument '" + name + "' must be a tensor, is " + argument.shown());
  return number;
}

void CallArguments::check_keywords(std::initializer_list<const char*> known) const {
  for (const auto& [key, value] : kwargs.as_object()) {
    const bool is_known = std::any_of(known.begin(), known.end(), [&](const char* name) { return key == name; });
    if (!is_known && !value.is_null())
      throw DataError("call argument '" + key + "' is not supported and must be null, got " + value.shown());
  }
}

Config with_tensors(const Config& value, const std::function<Config(int64_t)>& with) {
  if (const auto number = CallArguments::tensor_number(value)) return with(*number);
  if (value.is_list()) {
    Config::List list;
    for (const auto& item : value.as_list()) list.push_back(with_tensors(item, with));
    return list;
  }
  if (!value.is_object()) return value;
  Config object = Config::object();
  for (const auto& [key, member] : value.as_object()) object.set(key, with_tensors(member, with));
  return object;
}

}  // namespace tandem
