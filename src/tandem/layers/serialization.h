#pragma once
#include <initializer_list>
#include <string>
#include <vector>

#include "tandem/core/config.h"
#include "tandem/core/handle.h"
#include "tandem/layers/activation_function.h"
#include "tandem/layers/constraint.h"
#include "tandem/layers/initializer.h"
#include "tandem/layers/regularizer.h"
#include "tandem/layers/spatial_size.h"

/// Settings of a layer to and from Keras's configs. An object is written as Keras does:
/// {"module": "keras.initializers", "class_name": "GlorotUniform", "config": {...}, "registered_name": null}.
namespace tandem {

Config to_config(const Handle<Initializer>& initializer);
/// null when there is none.
Config to_config(const Handle<Regularizer>& regularizer);
Config to_config(const Handle<Constraint>& constraint);
/// The name. Throws InvalidArgument naming `layer` for a callable, which has none.
Config to_config(const ActivationFunction& activation, const std::string& layer);
template <std::size_t kRank>
Config to_config(const SpatialSize<kRank>& size) {
  return size.given() ? Config::list(size.numbers()) : Config();
}

/// Read member `key` as what it holds; `fallback` when it is missing. Throw DataError on other content, InvalidArgument
/// on unknown names.
Handle<Initializer> initializer_from(const Config& config, const std::string& key, const Handle<Initializer>& fallback);
Handle<Regularizer> regularizer_from(const Config& config, const std::string& key);
Handle<Constraint> constraint_from(const Config& config, const std::string& key);
ActivationFunction activation_from(const Config& config, const std::string& key);
/// One whole number or `rank` of them; none where the member is missing or null.
std::vector<int64_t> size_numbers_from(const Config& config, const std::string& key, std::size_t rank);
template <std::size_t kRank>
SpatialSize<kRank> size_from(const Config& config, const std::string& key, const SpatialSize<kRank>& fallback) {
  const auto numbers = size_numbers_from(config, key, kRank);
  return numbers.empty() ? fallback : SpatialSize<kRank>::of(key, numbers);
}

/// Throws InvalidArgument naming `layer` and the member when one of `keys` is there and not null (or false): a setting
/// that would otherwise be dropped silently.
void refuse_settings(const Config& config, const std::string& layer, std::initializer_list<const char*> keys);
/// Throws InvalidArgument when the config asks for channels first.
void check_channels_last(const Config& config, const std::string& layer);

}  // namespace tandem
