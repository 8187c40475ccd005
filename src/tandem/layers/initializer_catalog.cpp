// One row a name: Keras accepts the class's name, its snake case and a few older words.
#include "tandem/core/catalog.h"
#include "tandem/layers/initializers.h"

namespace tandem {
namespace {

namespace in = initializers;
using InitializerMaker = std::shared_ptr<Initializer> (*)(const Config&);

std::optional<int64_t> seed_of(const Config& config) {
  const Config seed = config.get("seed", {});
  return seed.is_null() ? std::nullopt : std::optional(seed.as_int());
}

template <class T>
std::shared_ptr<Initializer> plain_initializer(const Config&) {
  return T().get();
}

in::OptionalAxes axes_of(const Config& config, const char* key) {
  const Config axes = config.get(key, {});
  return axes.is_null() ? std::nullopt : std::optional(axes.as_ints());
}

template <class T>
std::shared_ptr<Initializer> fan_initializer(const Config& config) {
  return T({seed_of(config), axes_of(config, "input_axes"), axes_of(config, "output_axes")}).get();
}

template <class T>
std::shared_ptr<Initializer> normal_initializer(const Config& config) {
  return T({config.get("mean", 0.0).as_double(), config.get("stddev", 0.05).as_double(), seed_of(config)}).get();
}

std::shared_ptr<Initializer> uniform_initializer(const Config& config) {
  return in::RandomUniform(
             {config.get("minval", -0.05).as_double(), config.get("maxval", 0.05).as_double(), seed_of(config)})
      .get();
}

std::shared_ptr<Initializer> constant_initializer(const Config& config) {
  return in::Constant(config.get("value", 0.0).as_double()).get();
}
std::shared_ptr<Initializer> identity_initializer(const Config& config) {
  return in::Identity(config.get("gain", 1.0).as_double()).get();
}

std::shared_ptr<Initializer> orthogonal_initializer(const Config& config) {
  return in::Orthogonal({config.get("gain", 1.0).as_double(), seed_of(config)}).get();
}

std::shared_ptr<Initializer> scaling_initializer(const Config& config) {
  return in::VarianceScaling({config.get("scale", 1.0).as_double(), config.get("mode", "fan_in").as_string(),
                              config.get("distribution", "truncated_normal").as_string(), seed_of(config),
                              axes_of(config, "input_axes"), axes_of(config, "output_axes")})
      .get();
}

const Catalog<InitializerMaker>& initializer_catalog() {
  static const Catalog<InitializerMaker> table("initializer",
                                               {
                                                   {"zeros", plain_initializer<in::Zeros>},
                                                   {"Zeros", plain_initializer<in::Zeros>},
                                                   {"zero", plain_initializer<in::Zeros>},
                                                   {"ones", plain_initializer<in::Ones>},
                                                   {"Ones", plain_initializer<in::Ones>},
                                                   {"one", plain_initializer<in::Ones>},
                                                   {"constant", constant_initializer},
                                                   {"Constant", constant_initializer},
                                                   {"identity", identity_initializer},
                                                   {"Identity", identity_initializer},
                                                   {"IdentityInitializer", identity_initializer},
                                                   {"random_normal", normal_initializer<in::RandomNormal>},
                                                   {"RandomNormal", normal_initializer<in::RandomNormal>},
                                                   {"normal", normal_initializer<in::RandomNormal>},
                                                   {"truncated_normal", normal_initializer<in::TruncatedNormal>},
                                                   {"TruncatedNormal", normal_initializer<in::TruncatedNormal>},
                                                   {"random_uniform", uniform_initializer},
                                                   {"RandomUniform", uniform_initializer},
                                                   {"uniform", uniform_initializer},
                                                   {"variance_scaling", scaling_initializer},
                                                   {"VarianceScaling", scaling_initializer},
                                                   {"glorot_uniform", fan_initializer<in::GlorotUniform>},
                                                   {"GlorotUniform", fan_initializer<in::GlorotUniform>},
                                                   {"glorot_normal", fan_initializer<in::GlorotNormal>},
                                                   {"GlorotNormal", fan_initializer<in::GlorotNormal>},
                                                   {"he_uniform", fan_initializer<in::HeUniform>},
                                                   {"HeUniform", fan_initializer<in::HeUniform>},
                                                   {"he_normal", fan_initializer<in::HeNormal>},
                                                   {"HeNormal", fan_initializer<in::HeNormal>},
                                                   {"lecun_uniform", fan_initializer<in::LecunUniform>},
                                                   {"LecunUniform", fan_initializer<in::LecunUniform>},
                                                   {"lecun_normal", fan_initializer<in::LecunNormal>},
                                                   {"LecunNormal", fan_initializer<in::LecunNormal>},
                                                   {"orthogonal", orthogonal_initializer},
                                                   {"Orthogonal", orthogonal_initializer},
                                                   {"OrthogonalInitializer", orthogonal_initializer},
                                               });
  return table;
}

}  // namespace

std::shared_ptr<Initializer> Initializer::make(const std::string& name) { return make(name, Config::object()); }

std::shared_ptr<Initializer> Initializer::make(const std::string& name, const Config& config) {
  return initializer_catalog().at(name)(config);
}

}  // namespace tandem
