// Files that real Keras wrote (tests/fixtures/saving_cases.py): their weights, and what the network then computes.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tandem/saving/keras_archive.h"
#include "tandem/saving/keras_networks_test.h"
#include "tandem/saving/weights_file.h"
#include "tandem/testing/closeness.h"
#include "tandem/testing/npy.h"

namespace tandem::saving {
namespace {

using testing::difference;
using testing::fixture;
using testing::load_npy;

struct KerasFile {
  const char* model;
  const char* file;
};

class KerasFiles : public ::testing::TestWithParam<KerasFile> {};

TEST_P(KerasFiles, GiveKerassWeightsAndPredictions) {
  const std::string folder = fixture(std::string("keras/saving/") + GetParam().model) + "/";
  const auto network = network_named(GetParam().model);
  const LoadReport report = load_weights(*network, folder + GetParam().file);
  EXPECT_TRUE(report.complete()) << report.to_string();
  EXPECT_TRUE(at::equal(flat_weights(*network), load_npy(folder + "weights.npy")));
  EXPECT_EQ(difference(output_of(*network, load_npy(folder + "x.npy")), load_npy(folder + "output.npy"), 1e-5), "");
}

INSTANTIATE_TEST_SUITE_P(
    All, KerasFiles,
    ::testing::Values(KerasFile{"functional", "keras3.weights.h5"}, KerasFile{"functional", "model.keras"},
                      KerasFile{"functional", "whole.h5"}, KerasFile{"functional", "keras2.h5"},
                      KerasFile{"sequential", "keras3.weights.h5"}, KerasFile{"sequential", "keras2.h5"},
                      KerasFile{"subclassed", "keras3.weights.h5"}, KerasFile{"subclassed", "keras2.h5"}),
    [](const auto& info) {
      std::string name = std::string(info.param.model) + "_" + info.param.file;
      std::replace(name.begin(), name.end(), '.', '_');
      return name;
    });

TEST(KerasFiles, OtherNumberTypesAndCompression) {
  const std::string folder = fixture("keras/saving/types/");
  const Tensor want = load_npy(folder + "weights.npy");
  for (const auto& [file, tolerance] : std::vector<std::pair<std::string, double>>{
           {"float64", 0}, {"compressed", 0}, {"float16", 1e-3}, {"bfloat16", 8e-3}}) {
    const auto network = dense_network();
    load_weights(*network, folder + file + ".weights.h5");
    EXPECT_EQ(difference(flat_weights(*network), want, tolerance), "") << file;
  }
}

TEST(KerasFiles, ReportNamesLayersAndPaths) {
  const auto network = functional_network();
  const auto report = load_weights(*network, fixture("keras/saving/functional/keras3.weights.h5"));
  EXPECT_EQ(list_names(report.loaded),
            "conv (layers/conv2d), bn (layers/batch_normalization), first (layers/dense), shared (layers/dense_1), "
            "in_bn (layers/sequential/layers/batch_normalization), in_dense (layers/sequential/layers/dense), "
            "frozen (layers/batch_normalization_1), out (layers/dense_2)");
  EXPECT_EQ(list_names(load_weights(*network, fixture("keras/saving/functional/keras2.h5"), {.by_name = true}).loaded),
            "conv, bn, first, shared, inner, frozen, out");
}

TEST(KerasFiles, ArchiveHasConfigAndMetadata) {
  const auto archive = read_keras_archive(fixture("keras/saving/functional/model.keras"));
  EXPECT_EQ(archive.config.at("class_name").as_string(), "Functional");
  EXPECT_EQ(archive.config.at("config").at("name").as_string(), "whole");
  EXPECT_TRUE(archive.metadata.at("keras_version").as_string().starts_with("3."));
  const auto network = functional_network();
  load_weights_image(*network, archive.weights, "image");
  EXPECT_TRUE(at::equal(flat_weights(*network), load_npy(fixture("keras/saving/functional/weights.npy"))));
}

}  // namespace
}  // namespace tandem::saving
