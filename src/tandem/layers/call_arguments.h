#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>

#include "tandem/core/config.h"

namespace tandem {

/// What a layer is called with, as Keras notes it in configs: `attention(query, value, use_causal_mask=True)`, or an
/// operation's `x * 2.5`. Tensors stand in it by their number among the call's inputs.
struct CallArguments {
  Config::List args;
  Config kwargs = Config::object();

  /// What stands for input `number`.
  static Config tensor(int64_t number);
  /// The number of the input that `argument` stands for; nothing for any other value.
  static std::optional<int64_t> tensor_number(const Config& argument);

  /// Argument `position`, or else the one of this name; null where it is given neither way.
  const Config& at(std::size_t position, const std::string& name) const;
  /// The number of the input there; nothing where the argument is null. Throws DataError on another value.
  std::optional<int64_t> tensor_at(std::size_t position, const std::string& name) const;
  /// Throws DataError naming a keyword that is not null and not among `known`.
  void check_keywords(std::initializer_list<const char*> known) const;
};

/// `value` with each tensor in it replaced by what `with` makes of its number.
Config with_tensors(const Config& value, const std::function<Config(int64_t)>& with);

}  // namespace tandem
