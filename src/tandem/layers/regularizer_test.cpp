#include "tandem/layers/regularizer.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>

#include "tandem/layers/keras_case_test.h"
#include "tandem/layers/regularizers.h"
#include "tandem/testing/npy.h"

namespace tandem {
namespace {

using namespace tandem::testing;

TEST(Regularizer, MatchesKeras) {
  int cases = 0;
  for (const auto& entry : std::filesystem::directory_iterator(fixture("keras/regularizers"))) {
    const std::string folder = "keras/regularizers/" + std::string(entry.path().filename());
    SCOPED_TRACE(folder);
    std::ifstream file(fixture(folder + "/case.json"));
    const Config about = Config::from_json(std::string{std::istreambuf_iterator<char>(file), {}});
    const auto regularizer = Regularizer::make(about.at("class").as_string(), about.at("config"));
    EXPECT_EQ(regularizer->class_name(), about.at("class").as_string());
    const double want = about.at("value").as_double();
    const Tensor x = load_npy(fixture(folder + "/x.npy")).requires_grad_(true);
    const Tensor value = (*regularizer)(x);
    EXPECT_NEAR(value.item<double>(), want, 1e-5 + 1e-5 * want);
    if (value.requires_grad()) {
      value.backward();
      expect_close(x.grad(), load_npy(fixture(folder + "/grad.npy")), 1e-5, "gradient");
    }
    ++cases;
  }
  EXPECT_EQ(cases, 8);
}

TEST(Regularizer, NamesHaveKerasDefaults) {
  const Tensor x = at::tensor({1.0F, -2.0F});
  EXPECT_NEAR((*Regularizer::make("l1"))(x).item<double>(), 0.03, 1e-7);
  EXPECT_NEAR((*Regularizer::make("l2"))(x).item<double>(), 0.05, 1e-7);
  EXPECT_EQ((*Regularizer::make("l1_l2"))(x).item<double>(), 0);
}

TEST(Regularizer, HasGradients) {
  const Tensor x = at::tensor({1.0F, -2.0F}).requires_grad_(true);
  (*regularizers::L1L2({.l1 = 0.1, .l2 = 0.5}).get())(x).backward();
  EXPECT_TRUE(at::allclose(x.grad(), at::tensor({1.1F, -2.1F})));
}

TEST(Regularizer, OrthogonalCountsPairs) {
  // Rows (1, 0), (1, 1), (0, 0): the only product that is not 0 is 1 / sqrt(2), of one pair of three.
  const Tensor x = at::tensor({1.0F, 0.0F, 1.0F, 1.0F, 0.0F, 0.0F}).view({3, 2}).requires_grad_(true);
  const Tensor value = (*Regularizer::make("orthogonal"))(x);
  EXPECT_NEAR(value.item<double>(), 0.01 / std::sqrt(2.0) / 3, 1e-8);
  value.backward();
  EXPECT_TRUE(at::isfinite(x.grad()).all().item<bool>());
  const auto columns = regularizers::OrthogonalRegularizer({.factor = 1, .mode = "columns"}).get();
  EXPECT_EQ((*columns)(at::eye(4)).item<double>(), 0);
  EXPECT_EQ((*columns)(at::ones({4, 1})).item<double>(), 0);  // one column is no pair
}

TEST(Regularizer, RefusesWhatCannotWork) {
  expect_refused([] { Regularizer::make("l3"); }, {"regularizer", "l3"});
  expect_refused([] { regularizers::L2(-1); }, {"L2", "-1"});
  expect_refused([] { regularizers::L1(std::numeric_limits<double>::infinity()); }, {"L1", "inf"});
  expect_refused([] { regularizers::OrthogonalRegularizer({.factor = -1}); }, {"OrthogonalRegularizer", "-1"});
  expect_refused([] { regularizers::OrthogonalRegularizer({.mode = "row"}); }, {"mode", "row", "rows"});
  expect_refused([] { (*Regularizer::make("orthogonal"))(at::ones({2, 2, 2})); }, {"rank 2", "(2, 2, 2)"});
}

}  // namespace
}  // namespace tandem
