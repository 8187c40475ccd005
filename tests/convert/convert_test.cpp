// Models written as C++ and compiled: the same layers, settings and summary as the file's model, and real Keras's
// predictions.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "converted_cases.h"
#include "tandem/core/config.h"
#include "tandem/model/load_model.h"
#include "tandem/network/network_config.h"
#include "tandem/testing/closeness.h"
#include "tandem/testing/npy.h"
#include "tandem/testing/temporary_folder.h"

namespace tandem::testing {
namespace {

namespace fs = std::filesystem;

class Converted : public ::testing::TestWithParam<ConvertedCase> {
 protected:
  std::string file(const std::string& name) const {
    return std::string(TANDEM_CASES "/") + GetParam().name + "/" + name;
  }
  // stem.npy, or stem0.npy, stem1.npy, ...
  Tensors arrays(const std::string& stem) const {
    if (fs::exists(file(stem + ".npy"))) return {load_npy(file(stem + ".npy"))};
    Tensors all;
    for (int i = 0; fs::exists(file(stem + std::to_string(i) + ".npy")); ++i)
      all.push_back(load_npy(file(stem + std::to_string(i) + ".npy")));
    return all;
  }
};

TEST_P(Converted, IsTheModelOfTheFile) {
  const Model read = load_model(file("model.keras"), {.compile = false}), made = GetParam().make();
  EXPECT_EQ(network_to_json(*made.network()), network_to_json(*read.network()));
  EXPECT_EQ(made.summary_text({.expand_nested = true}), read.summary_text({.expand_nested = true}));
}

TEST_P(Converted, PredictsAsKeras) {
  Model made = GetParam().make();
  EXPECT_TRUE(made.load_weights(file("model.keras")).complete());
  const Tensors wanted = arrays("predict"), inputs = arrays("x");
  if (wanted.empty()) return;  // cases of callbacks have none
  const Shape first = made.network()->input_shapes().front();
  // Stateful models have batches of one size.
  const Tensors got = made.predict_all(inputs, {.batch_size = first[0] == Shape::kUnknown ? 32 : first[0]});
  ASSERT_EQ(got.size(), wanted.size());
  for (int64_t i = 0; i < wanted.size(); ++i) EXPECT_EQ(difference(got[i], wanted[i], 1e-4), "") << "output " << i;
}

TEST_P(Converted, TakesItsWeightsFromSafetensors) {
  const TemporaryFolder folder;
  const Model read = load_model(file("model.keras"), {.compile = false});
  read.save_weights(folder.file("w.safetensors"));
  Model made = GetParam().make();
  EXPECT_TRUE(made.load_weights(folder.file("w.safetensors")).complete());
  const auto got = made.get_weights(), wanted = read.get_weights();
  ASSERT_EQ(got.size(), wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) EXPECT_TRUE(at::equal(got[i], wanted[i])) << i;
}

INSTANTIATE_TEST_SUITE_P(Cases, Converted, ::testing::ValuesIn(converted_cases()),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace tandem::testing
