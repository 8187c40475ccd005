#include "tandem/layers/random_initializers.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <tuple>

#include "tandem/core/error.h"

namespace tandem::initializers {
namespace {

class RandomNormalInitializer : public Initializer {
 public:
  explicit RandomNormalInitializer(const RandomNormalOptions& options) : options_(options) {}
  Tensor operator()(const Shape& shape, const RandomStream& random) const override {
    return draw_normal(shape, stream_of(options_.seed, random), options_.mean, options_.stddev);
  }
  std::string class_name() const override { return "RandomNormal"; }
  Config get_config() const override {
    return Config::object({{"seed", seed_config(options_.seed)}, {"mean", options_.mean}, {"stddev", options_.stddev}});
  }

 protected:
  RandomNormalOptions options_;
};

class TruncatedNormalInitializer : public RandomNormalInitializer {
 public:
  using RandomNormalInitializer::RandomNormalInitializer;
  Tensor operator()(const Shape& shape, const RandomStream& random) const override {
    return draw_truncated_normal(shape, stream_of(options_.seed, random), options_.mean, options_.stddev);
  }
  std::string class_name() const override { return "TruncatedNormal"; }
};

class RandomUniformInitializer : public Initializer {
 public:
  explicit RandomUniformInitializer(const RandomUniformOptions& options) : options_(options) {}
  Tensor operator()(const Shape& shape, const RandomStream& random) const override {
    return draw_uniform(shape, stream_of(options_.seed, random), options_.minval, options_.maxval);
  }
  std::string class_name() const override { return "RandomUniform"; }
  Config get_config() const override {
    return Config::object(
        {{"seed", seed_config(options_.seed)}, {"minval", options_.minval}, {"maxval", options_.maxval}});
  }

 private:
  RandomUniformOptions options_;
};

class OrthogonalInitializer : public Initializer {
 public:
  explicit OrthogonalInitializer(const OrthogonalOptions& options) : options_(options) {}

  Tensor operator()(const Shape& shape, const RandomStream& random) const override {
    if (shape.rank() < 2)
      throw InvalidArgument(c10::str("Orthogonal initializer: the weight must have rank 2 or more, got shape ", shape));
    const int64_t columns = shape.back(), rows = columns == 0 ? 0 : shape.count() / columns;
    const Shape tall = {std::max(rows, columns), std::min(rows, columns)};
    const Tensor normal = stream_of(options_.seed, random).normal(tall).to(at::kDouble);
    auto [q, r] = at::linalg_qr(normal);
    q = q * at::sign(at::diagonal(r));  // makes the distribution uniform over orthogonal matrices (Mezzadri 2007)
    if (rows < columns) q = q.t();
    return (q * options_.gain).to(at::kFloat).reshape(shape.sizes()).contiguous();
  }
  std::string class_name() const override { return "Orthogonal"; }
  Config get_config() const override {
    return Config::object({{"seed", seed_config(options_.seed)}, {"gain", options_.gain}});
  }

 private:
  OrthogonalOptions options_;
};

}  // namespace

RandomStream stream_of(const std::optional<int64_t>& seed, const RandomStream& random) {
  return seed ? RandomStream(static_cast<uint64_t>(*seed)).fold("initializer") : random;
}

Config seed_config(const std::optional<int64_t>& seed) { return seed ? Config(*seed) : Config(); }

Tensor draw_normal(const Shape& shape, const RandomStream& random, double mean, double stddev) {
  return random.normal(shape).mul_(stddev).add_(mean);
}

Tensor draw_truncated_normal(const Shape& shape, const RandomStream& random, double mean, double stddev) {
  // By the inverse of the distribution function, so that one number of the stream gives one value: for u uniform in (0,
  // 1), sqrt(2) erfinv(erf(2 / sqrt(2)) (2 u - 1)) lies within +-2. In double, since float32 is coarse near the cut.
  const Tensor u = random.uniform(shape).to(at::kDouble).add_(0x1p-25);
  const Tensor z = u.mul_(2).sub_(1).mul_(std::erf(std::numbers::sqrt2)).erfinv_().mul_(std::numbers::sqrt2);
  return z.mul_(stddev).add_(mean).to(at::kFloat);
}

Tensor draw_uniform(const Shape& shape, const RandomStream& random, double low, double high) {
  return random.uniform(shape).mul_(high - low).add_(low);
}

RandomNormal::RandomNormal(RandomNormalOptions options) : Handle(std::make_shared<RandomNormalInitializer>(options)) {}
TruncatedNormal::TruncatedNormal(RandomNormalOptions options)
    : Handle(std::make_shared<TruncatedNormalInitializer>(options)) {}
RandomUniform::RandomUniform(RandomUniformOptions options)
    : Handle(std::make_shared<RandomUniformInitializer>(options)) {}
Orthogonal::Orthogonal(OrthogonalOptions options) : Handle(std::make_shared<OrthogonalInitializer>(options)) {}

}  // namespace tandem::initializers
