#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "tandem/core/config.h"
#include "tandem/core/shape.h"
#include "tandem/core/tensor.h"
#include "tandem/layers/call_context.h"

/// The random numbers of layers that are random in training: those of a row depend on its place in the global batch,
/// however the batch is divided.
namespace tandem {

using Seed = std::optional<int64_t>;

/// The stream of a call; a seed gives another one of the same run.
RandomStream noise_stream(const CallContext& context, const Seed& seed);

/// One draw for each element of `shape`, on the CPU in float32: uniform in [0, 1), or standard normal. The shape's
/// first axis is the rows of the call, or, unless `by_row`, the same draws whatever the rows.
Tensor uniform_noise(const Shape& shape, const CallContext& context, const Seed& seed, bool by_row = true);
Tensor normal_noise(const Shape& shape, const CallContext& context, const Seed& seed, bool by_row = true);

/// 1 where an element is kept and 0 where it is dropped, which happens with probability `rate`; of `shape`, and of type
/// and device as `like`.
Tensor kept(const Shape& shape, double rate, const CallContext& context, const Seed& seed, const Tensor& like,
            bool by_row = true);

/// Throws InvalidArgument naming `layer` when rate is not in [0, 1).
void check_rate(const std::string& layer, double rate);

Config seed_to_config(const Seed& seed);
/// From a config's member "seed"; none where it is missing.
Seed seed_from(const Config& config);

}  // namespace tandem
