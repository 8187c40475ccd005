#include "tandem/layers/constraints.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>

#include "tandem/layers/keras_case_test.h"
#include "tandem/layers/serialization.h"
#include "tandem/testing/npy.h"

namespace tandem {
namespace {

using namespace tandem::testing;

TEST(Constraint, MatchesKeras) {
  int cases = 0;
  for (const auto& entry : std::filesystem::directory_iterator(fixture("keras/constraints"))) {
    const std::string folder = "keras/constraints/" + std::string(entry.path().filename());
    SCOPED_TRACE(folder);
    std::ifstream file(fixture(folder + "/case.json"));
    const Config about = Config::from_json(std::string{std::istreambuf_iterator<char>(file), {}});
    const auto constraint = Constraint::make(about.at("class").as_string(), about.at("config"));
    EXPECT_EQ(constraint->class_name(), about.at("class").as_string());
    const Config config = constraint->get_config();
    EXPECT_EQ(config.as_object().size(), about.at("config").as_object().size());
    for (const auto& [key, value] : about.at("config").as_object()) {
      if (value.is_number()) {
        EXPECT_EQ(config.at(key).as_double(), value.as_double()) << key;
      } else {
        EXPECT_EQ(config.at(key), value) << key;
      }
    }
    expect_close((*constraint)(load_npy(fixture(folder + "/x.npy"))), load_npy(fixture(folder + "/projected.npy")),
                 1e-6, "projection");
    ++cases;
  }
  EXPECT_EQ(cases, 10);
}

TEST(Constraint, NamesHaveKerasDefaults) {
  const Tensor w = at::tensor({3.0F, -4.0F}).view({2, 1});  // norm 5
  EXPECT_TRUE(at::allclose((*Constraint::make("max_norm"))(w), w * (2 / 5.0)));
  EXPECT_TRUE(at::allclose((*Constraint::make("unit_norm"))(w), w / 5));
  EXPECT_TRUE(at::allclose((*Constraint::make("min_max_norm"))(w), w / 5));
  EXPECT_TRUE(at::equal((*Constraint::make("non_neg"))(w), at::tensor({3.0F, 0.0F}).view({2, 1})));
}

TEST(Constraint, MadeByHand) {
  const Tensor w = at::full({2, 2, 2, 3}, 1.0F);  // each filter has norm sqrt(8)
  const double norm = std::sqrt(8.0);
  const auto projected = [&](const Handle<Constraint>& constraint) { return (*constraint.get())(w); };
  EXPECT_TRUE(at::allclose(projected(constraints::MaxNorm({.max_value = 1, .axis = {0, 1, 2}})), w / norm));
  EXPECT_TRUE(at::allclose(projected(constraints::MaxNorm(3.0)), w));
  EXPECT_TRUE(at::allclose(projected(constraints::UnitNorm({.axis = {0, 1, 2}})), w / norm));
  const constraints::MinMaxNorm half_way({.min_value = 0, .max_value = 1, .rate = 0.5, .axis = {-4, -3, -2}});
  EXPECT_TRUE(at::allclose(projected(half_way), w * ((0.5 + 0.5 * norm) / norm)));
}

TEST(Constraint, KeepsTheMemoryOrderOfAWeight) {
  const Tensor w = at::randn({4, 2, 2, 3}).permute({1, 2, 3, 0});
  for (const char* name : {"max_norm", "non_neg", "unit_norm", "min_max_norm"}) {
    EXPECT_EQ((*Constraint::make(name))(w).strides(), w.strides()) << name;
  }
}

TEST(Constraint, GoesThroughConfigs) {
  const Config config = to_config(Handle<Constraint>(constraints::MaxNorm({.max_value = 1.5, .axis = {0, 1}})));
  EXPECT_EQ(config.to_json(),
            R"({"module":"keras.constraints","class_name":"MaxNorm","config":{"max_value":1.5,"axis":[0,1]},)"
            R"("registered_name":null})");
  const auto read = constraint_from(Config::object({{"kernel_constraint", config}}), "kernel_constraint");
  EXPECT_EQ(to_config(read), config);
  EXPECT_EQ(constraint_from(Config::object({{"c", "non_neg"}}), "c").get()->class_name(), "NonNeg");
  EXPECT_TRUE(constraint_from(Config::object(), "c").empty());
  EXPECT_TRUE(to_config(Handle<Constraint>()).is_null());
}

TEST(Constraint, RefusesWhatCannotWork) {
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  expect_refused([] { Constraint::make("max_nrm"); }, {"constraint", "max_nrm", "max_norm"});
  expect_refused([] { constraints::MaxNorm(-1.0); }, {"MaxNorm", "max_value", "-1"});
  expect_refused([] { constraints::MaxNorm({.max_value = kNaN}); }, {"MaxNorm", "max_value", "nan"});
  expect_refused([] { constraints::MinMaxNorm({.min_value = 2, .max_value = 1}); }, {"MinMaxNorm", "min_value", "2"});
  expect_refused([] { constraints::MinMaxNorm({.min_value = kNaN}); }, {"min_value", "nan"});
  expect_refused([] { constraints::MinMaxNorm({.rate = kNaN}); }, {"rate", "nan"});
  const Tensor w = at::ones({2, 3});
  expect_refused([&] { (*constraints::UnitNorm({.axis = 2}).get())(w); }, {"UnitNorm", "axis", "rank 2", "2"});
  expect_refused([&] { (*constraints::MaxNorm({.axis = {0, -2}}).get())(w); }, {"MaxNorm", "axis", "[0,-2]"});
}

}  // namespace
}  // namespace tandem
