#include "tandem/layers/noise.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include "tandem/core/error.h"

namespace tandem {
namespace {

uint64_t first_element(const Shape& shape, const CallContext& context, bool by_row) {
  return by_row ? static_cast<uint64_t>(context.first_row * shape.without_batch().count()) : 0;
}

}  // namespace

RandomStream noise_stream(const CallContext& context, const Seed& seed) {
  return seed ? context.random.fold(static_cast<uint64_t>(*seed)) : context.random;
}

Tensor uniform_noise(const Shape& shape, const CallContext& context, const Seed& seed, bool by_row) {
  return noise_stream(context, seed).uniform(shape, first_element(shape, context, by_row));
}

Tensor normal_noise(const Shape& shape, const CallContext& context, const Seed& seed, bool by_row) {
  return noise_stream(context, seed).normal(shape, first_element(shape, context, by_row));
}

Tensor kept(const Shape& shape, double rate, const CallContext& context, const Seed& seed, const Tensor& like,
            bool by_row) {
  return uniform_noise(shape, context, seed, by_row).ge_(rate).to(like.options().requires_grad(false));
}

void check_rate(const std::string& layer, double rate) {
  if (!(rate >= 0 && rate < 1)) throw InvalidArgument(c10::str(layer, ": rate must be in [0, 1), got ", rate));
}

Config seed_to_config(const Seed& seed) { return seed ? Config(*seed) : Config(); }

Seed seed_from(const Config& config) {
  const Config seed = config.get("seed", {});
  return seed.is_null() ? Seed() : Seed(seed.as_int());
}

}  // namespace tandem
