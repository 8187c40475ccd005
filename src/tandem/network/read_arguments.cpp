#include "tandem/network/read_arguments.h"

#include "tandem/core/error.h"

namespace tandem {
namespace {

constexpr int kDeepestNumbered = 20;

bool is_old_reference(const Config& value) {
  return value.is_list() && value.as_list().size() >= 3 && value.as_list().front().is_string();
}

Config added(const Config& reference, const AddInput& add_input) { return CallArguments::tensor(add_input(reference)); }

// `value` with the tensors in it by their numbers.
Config numbered(const Config& value, const AddInput& add_input, int depth) {
  if (depth == kDeepestNumbered) throw DataError("the arguments of a call must not nest that deep");
  if (value.is_list()) {
    Config::List list;
    for (const auto& item : value.as_list()) list.push_back(numbered(item, add_input, depth + 1));
    return list;
  }
  if (!value.is_object()) return value;
  if (value.get("class_name", "").as_string() != "__keras_tensor__")
    throw DataError("a call's argument must be a tensor or a number, is " + value.shown());
  return added(value.at("config").at("keras_history"), add_input);
}

}  // namespace

CallArguments read_arguments(const Config& call, const AddInput& add_input) {
  CallArguments arguments;
  for (const auto& argument : call.at("args").as_list()) arguments.args.push_back(numbered(argument, add_input, 0));
  const Config keywords = call.get("kwargs", Config::object());
  for (const auto& [key, value] : keywords.as_object()) arguments.kwargs.set(key, numbered(value, add_input, 0));
  return arguments;
}

CallArguments read_old_arguments(const Config::List& call, const AddInput& add_input) {
  CallArguments arguments;
  Config::List tensors;
  const auto first_three = [&](const Config::List& parts) {
    return added(Config::List(parts.begin(), parts.begin() + 3), add_input);
  };
  for (const auto& item : call) {
    if (!is_old_reference(item)) throw DataError("a reference must be [layer, call, output], got " + item.shown());
    const auto& parts = item.as_list();
    tensors.push_back(first_three(parts));
    if (parts.size() < 4) continue;
    for (const auto& [key, value] : parts[3].as_object())
      arguments.kwargs.set(key, is_old_reference(value) ? first_three(value.as_list()) : value);
  }
  arguments.args.push_back(tensors.size() == 1 ? tensors.front() : Config(tensors));
  return arguments;
}

}  // namespace tandem
