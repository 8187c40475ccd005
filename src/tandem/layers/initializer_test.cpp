#include "tandem/layers/initializer.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <numbers>

#include "tandem/layers/initializers.h"
#include "tandem/layers/keras_case_test.h"
#include "tandem/testing/npy.h"

namespace tandem {
namespace {

using namespace tandem::testing;

Config read_case(const std::string& folder) {
  std::ifstream file(fixture("keras/initializers/" + folder + "/case.json"));
  return Config::from_json(std::string{std::istreambuf_iterator<char>(file), {}});
}

/// Many draws of one shape, at least 200,000 values, as the fixture has them.
Tensor draw_many(const Initializer& initializer, const Shape& shape) {
  std::vector<Tensor> draws;
  for (int64_t count = 0; count < 200'000; count += shape.count()) {
    draws.push_back(initializer(shape, RandomStream(11).fold(draws.size())).flatten());
  }
  return at::cat(draws).to(at::kDouble);
}

TEST(Initializer, SpreadAndConfigMatchKeras) {
  int cases = 0;
  for (const auto& entry : std::filesystem::directory_iterator(fixture("keras/initializers"))) {
    const std::string name = entry.path().filename();
    const Config about = read_case(name);
    if (!about.contains("shapes") || name == "orthogonal") continue;
    SCOPED_TRACE(name);
    ++cases;
    const auto initializer = Initializer::make(about.at("class").as_string(), about.at("config"));
    EXPECT_EQ(initializer->class_name(), about.at("class").as_string());
    EXPECT_EQ(initializer->get_config(), about.at("config"));
    for (const auto& row : about.at("shapes").as_list()) {
      const Shape shape = Shape::of(row.at("shape").as_ints());
      SCOPED_TRACE(shape.to_string());
      const Tensor values = draw_many(*initializer, shape);
      const double count = static_cast<double>(values.numel());
      const double mean = values.mean().item<double>(), deviation = values.std().item<double>();
      double low = -INFINITY, high = INFINITY, want_mean = 0, want_deviation = 0;
      if (row.contains("limit") || row.contains("low")) {
        low = row.contains("low") ? row.at("low").as_double() : -row.at("limit").as_double();
        high = row.contains("high") ? row.at("high").as_double() : row.at("limit").as_double();
        want_mean = (low + high) / 2;
        want_deviation = (high - low) / std::sqrt(12.0);
      } else {
        want_mean = row.get("mean", 0.0).as_double();
        want_deviation = row.at("stddev").as_double();
        if (row.contains("cut")) {
          low = want_mean - row.at("cut").as_double();
          high = want_mean + row.at("cut").as_double();
        }
      }
      // Five deviations of the mean; the deviation itself is known to about 1 / sqrt(2 n) = 0.16 %, less for bounded
      // draws.
      EXPECT_NEAR(mean, want_mean, 5 * want_deviation / std::sqrt(count));
      EXPECT_NEAR(deviation, want_deviation, 0.008 * want_deviation);
      EXPECT_GE(values.min().item<double>(), low - 1e-6);
      EXPECT_LE(values.max().item<double>(), high + 1e-6);
      const Config keras = row.at("draw");
      EXPECT_NEAR(deviation, keras.at("stddev").as_double(), 0.012 * want_deviation);
      if (std::isfinite(low)) {  // reaches its bounds as far as Keras's draw does
        EXPECT_NEAR(values.min().item<double>(), keras.at("min").as_double(), 0.02 * want_deviation);
        EXPECT_NEAR(values.max().item<double>(), keras.at("max").as_double(), 0.02 * want_deviation);
      }
      if (row.contains("fan_in")) {
        EXPECT_EQ(initializers::compute_fans(shape).in, row.at("fan_in").as_double());
        EXPECT_EQ(initializers::compute_fans(shape).out, row.at("fan_out").as_double());
      }
    }
  }
  EXPECT_EQ(cases, 14);
}

TEST(Initializer, ConstantsEqualKeras) {
  const auto values_of = [](const char* name) {
    return load_npy(fixture(std::string("keras/initializers/") + name + "/values.npy"));
  };
  const auto drawn = [](const Handle<Initializer>& initializer, const Shape& shape) {
    return (*initializer.get())(shape, RandomStream(1));
  };
  EXPECT_TRUE(at::equal(drawn("zeros", {2, 3}), values_of("zeros")));
  EXPECT_TRUE(at::equal(drawn("ones", {2, 3}), values_of("ones")));
  EXPECT_TRUE(at::equal(drawn(initializers::Constant(-1.5), {2, 3}), values_of("constant")));
  EXPECT_TRUE(at::equal(drawn(initializers::Identity(2), {3, 3}), values_of("identity")));
  EXPECT_TRUE(at::equal(drawn("identity", {2, 4}), values_of("identity_wide")));
}

TEST(Initializer, ConstantsHaveConfigs) {
  for (const char* name : {"zeros", "ones", "constant"}) {
    const Config about = read_case(name);
    const auto initializer = Initializer::make(about.at("class").as_string(), about.at("config"));
    EXPECT_EQ(initializer->get_config(), about.at("config"));
  }
  // Keras 3.15 forgets the gain of Identity when it saves; it reads it, though.
  EXPECT_EQ(initializers::Identity(2).get()->get_config().to_json(), R"({"gain":2.0})");
}

TEST(Initializer, OrthogonalProductsAreDiagonal) {
  const Config about = read_case("orthogonal");
  const auto initializer = Initializer::make("Orthogonal", about.at("config"));
  EXPECT_EQ(initializer->get_config(), about.at("config"));
  for (const auto& row : about.at("shapes").as_list()) {
    const Shape shape = Shape::of(row.at("shape").as_ints());
    const Tensor q = (*initializer)(shape, RandomStream(3)).reshape({-1, shape.back()}).to(at::kDouble);
    const Tensor product = row.at("side").as_string() == "columns" ? q.t().matmul(q) : q.matmul(q.t());
    EXPECT_TRUE(at::allclose(product, at::eye(product.size(0), at::kDouble) * about.at("product_diagonal").as_double(),
                             1e-5, 1e-5));
  }
}

TEST(Initializer, TruncatedNormalFollowsItsDistribution) {
  // The share below z is (Phi(z) - Phi(-2)) / (Phi(2) - Phi(-2)).
  const Tensor values = draw_many(*initializers::TruncatedNormal({.stddev = 1}).get(), {1000, 200});
  const auto phi = [](double z) { return 0.5 * std::erfc(-z / std::numbers::sqrt2); };
  for (double z : {-1.5, -1.0, -0.3, 0.0, 0.7, 1.9}) {
    const double want = (phi(z) - phi(-2)) / (phi(2) - phi(-2));
    EXPECT_NEAR((values < z).to(at::kDouble).mean().item<double>(), want, 0.006);
  }
}

TEST(Initializer, TheSameStreamGivesTheSameValues) {
  for (const char* name : {"glorot_uniform", "he_normal", "random_normal", "orthogonal"}) {
    const auto initializer = Initializer::make(name);
    const Shape shape = {5, 7};
    EXPECT_TRUE(at::equal((*initializer)(shape, RandomStream(1)), (*initializer)(shape, RandomStream(1))));
    EXPECT_FALSE(at::equal((*initializer)(shape, RandomStream(1)), (*initializer)(shape, RandomStream(2))));
  }
  const auto seeded = initializers::GlorotUniform({.seed = 4}).get();
  EXPECT_TRUE(at::equal((*seeded)({5, 7}, RandomStream(1)), (*seeded)({5, 7}, RandomStream(2))));
}

TEST(Initializer, FansOfGivenAxes) {
  // As Keras gives them to a kernel (model, heads, size), whose inputs are the first axis.
  const Config config =
      Config::object({{"seed", {}}, {"input_axes", Config::list({0})}, {"output_axes", Config::list({1, 2})}});
  const auto initializer = Initializer::make("GlorotUniform", config);
  EXPECT_EQ(initializer->get_config(), config);
  const Tensor values = draw_many(*initializer, {50, 4, 10});
  const double limit = std::sqrt(6.0 / (50 + 40));
  EXPECT_LE(values.abs().max().item<double>(), limit);
  EXPECT_GT(values.abs().max().item<double>(), 0.999 * limit);
  EXPECT_EQ(initializers::compute_fans({50, 4, 10}, {{0}}, {{1, 2}}).out, 40);
  EXPECT_EQ(initializers::compute_fans({50, 4, 10}, {{0}}, {{}}).out, 1);
  EXPECT_EQ(initializers::compute_fans({50, 4, 10}, {{0}}, {}).in, 200);  // only where both are given
}

TEST(Initializer, RefusesWhatCannotWork) {
  expect_refused([] { Initializer::make("he_norml"); }, {"initializer", "he_norml", "he_normal"});
  expect_refused([] { initializers::VarianceScaling({.scale = 0}); }, {"VarianceScaling", "scale", "0"});
  expect_refused([] { initializers::VarianceScaling({.mode = "fan_inn"}); }, {"mode", "fan_inn", "fan_in"});
  expect_refused([] { initializers::VarianceScaling({.distribution = "unifrm"}); },
                 {"distribution", "unifrm", "uniform"});
  expect_refused(
      [] {
        (*initializers::Identity().get())({2, 2, 2}, RandomStream());
      },
      {"Identity", "rank 2", "(2, 2, 2)"});
  expect_refused([] { (*initializers::Orthogonal().get())({2}, RandomStream()); }, {"Orthogonal", "rank 2", "(2,)"});
}

}  // namespace
}  // namespace tandem
