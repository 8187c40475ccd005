#include "tandem/layers/warp.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "tandem/core/config.h"
#include "tandem/core/random.h"
#include "tandem/layers/keras_case_test.h"
#include "tandem/testing/npy.h"

namespace tandem {
namespace {

using namespace tandem::testing;

TEST(Warp, MatchesKeras) {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(fixture("keras/warp"))) {
    const std::string folder = "keras/warp/" + entry.path().filename().string();
    SCOPED_TRACE(folder);
    std::ifstream file(fixture(folder + "/case.json"));
    const auto about = Config::from_json(std::string{std::istreambuf_iterator<char>(file), {}});
    const WarpOptions options{.outside = parse_fill_mode("test", about.at("fill_mode").as_string()),
                              .interpolation = parse_interpolation("test", about.at("interpolation").as_string()),
                              .fill_value = about.at("fill_value").as_double()};
    const Tensor x = load_npy(fixture(folder + "/x.npy")), maps = load_npy(fixture(folder + "/maps.npy"));
    expect_close(warp(x, maps, options), load_npy(fixture(folder + "/output.npy")), 1e-4, "output");
    ++count;
  }
  EXPECT_EQ(count, 8);
}

// sum(warp(x) * r) is linear in x: its gradient times x is its value, where nothing is filled in.
TEST(Warp, GradientIsTheTransposedMap) {
  for (const auto interpolation : {Interpolation::bilinear, Interpolation::nearest}) {
    const Tensor x = RandomStream(1).normal({2, 4, 5, 3}).requires_grad_(true);
    const Tensor r = RandomStream(2).normal({2, 4, 5, 3});
    const Tensor maps =
        at::tensor({0.8F, -0.3F, 0.7F, 0.3F, 0.9F, -1.3F, 1.F, 0.F, 0.25F, 0.F, 1.F, 3.6F}).view({2, 6});
    const Tensor total = (warp(x, maps, {.interpolation = interpolation}) * r).sum();
    total.backward();
    EXPECT_NEAR((x.grad() * x).sum().item<double>(), total.item<double>(), 1e-3);
  }
}

}  // namespace
}  // namespace tandem
