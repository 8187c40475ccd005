// Whole models from files that real Keras wrote (tests/fixtures/network_cases.py), and their weights.
#include "tandem/model/load_model.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "tandem/core/error.h"
#include "tandem/distribution/mirrored.h"
#include "tandem/layers/dense.h"
#include "tandem/layers/input.h"
#include "tandem/model/body.h"
#include "tandem/testing/captured_log.h"
#include "tandem/testing/closeness.h"
#include "tandem/testing/message_of.h"
#include "tandem/testing/npy.h"

namespace tandem {
namespace {

using testing::CapturedLog;
using testing::difference;
using testing::message_of;

std::string saved_model(const std::string& file) { return testing::fixture("keras/networks/files/" + file); }
Tensor saved_array(const std::string& file) { return testing::load_npy(saved_model(file + ".npy")); }

void expect_as_saved(Model model, const std::string& stem) {
  const Tensor x = saved_array("x");
  const Tensors y = {saved_array("y0"), saved_array("y1")};
  const Tensors outputs = model.predict_all(data::TensorDataset(x), {.verbose = 0});
  for (int64_t i = 0; i < 2; ++i)
    EXPECT_EQ(difference(outputs[i], saved_array(stem + "output" + std::to_string(i)), 1e-5), "") << stem << i;
  std::ifstream in(saved_model("case.json"));
  const Config about = Config::from_json(std::string(std::istreambuf_iterator<char>(in), {}));
  const Logs got = model.evaluate(x, y, {.batch_size = 5, .verbose = 0});
  const auto& want = about.at(stem + "evaluate").as_object();
  EXPECT_EQ(got.size(), want.size()) << stem;
  for (const auto& [key, value] : want) {
    ASSERT_TRUE(got.contains(key)) << stem << key;
    EXPECT_NEAR(got.at(key), value.as_double(), 1e-5) << stem << key;
  }
}

TEST(LoadModel, FilesOfKerasPredictAndEvaluateAsThere) {
  for (const std::string file : {"model.keras", "whole.h5", "keras2.h5"}) {
    const CapturedLog log;
    const auto model = load_model(saved_model(file));
    expect_as_saved(model, file == "keras2.h5" ? "keras2_" : "");
    EXPECT_DOUBLE_EQ(model.learning_rate(), 0.25) << file;
    EXPECT_EQ(model.name(), "two");
    std::vector<std::string> warnings;
    if (file == "keras2.h5") {
      warnings.push_back(saved_model(file) +
                         ": the optimizer's state in files of Keras 2 is not read; its slots start anew");
    }
    EXPECT_EQ(log.warnings(), warnings) << file;
  }
}

// Keras 3 saved one trained model in both formats.
TEST(LoadModel, TheOptimizersStateIsReadFromBothFormats) {
  Model archive = load_model(saved_model("model.keras")), legacy = load_model(saved_model("whole.h5"));
  const StateDict want = archive.body().optimizer_state(), got = legacy.body().optimizer_state();
  EXPECT_EQ(got.integer("iterations"), 2);
  EXPECT_EQ(want.integer("iterations"), 2);
  for (int i = 0; i < 6; ++i) {
    const std::string slot = "momentum/" + std::to_string(i);
    EXPECT_TRUE(at::equal(got.tensor(slot), want.tensor(slot))) << slot;
    EXPECT_GT(got.tensor(slot).abs().max().item<double>(), 0) << slot;
  }
}

TEST(LoadModel, WithoutCompiling) {
  const CapturedLog log;
  for (const std::string file : {"model.keras", "whole.h5", "keras2.h5"}) {
    const auto model = load_model(saved_model(file), {.compile = false});
    EXPECT_NE(message_of([&] { model.learning_rate(); }).find("must be compiled"), std::string::npos) << file;
  }
  EXPECT_TRUE(log.warnings().empty());
}

TEST(LoadModel, SaysWhatIsWrongWithTheFile) {
  const auto error = [](const std::string& path) { return message_of<DataError>([&] { load_model(path); }); };
  const auto folder = std::filesystem::temp_directory_path() / "tandem_load_model_test";
  std::filesystem::create_directories(folder);
  const std::string path = (folder / "m.keras").string();
  EXPECT_EQ(error(folder.string()), folder.string() + ": is a folder; a .keras or .h5 file is needed");
  EXPECT_EQ(error(path + "x"), path + "x: cannot be read: No such file or directory");
  std::ofstream(path) << "text";
  EXPECT_EQ(error(path), path + ": is neither a .keras archive nor an HDF5 file");
  const auto weights = testing::fixture("keras/saving/sequential/keras2.h5");
  EXPECT_EQ(error(weights), weights + ": holds weights only; make the model first, then load_weights reads them");
  std::filesystem::remove_all(folder);
}

TEST(ModelWeights, GoThroughAFileInStepWithTheReplicas) {
  const auto folder = std::filesystem::temp_directory_path() / "tandem_model_weights_test";
  std::filesystem::create_directories(folder);
  const CapturedLog log;
  for (const std::string name : {"/a.weights.h5", "/a.h5", "/a.safetensors"}) {
    const std::string path = folder.string() + name;
    Sequential model({layers::Input({3}), layers::Dense(2, {.name = "only"})});
    model.compile(
        {.optimizer = "sgd", .loss = "mse", .strategy = distribute::Mirrored({.devices = {"cpu:0", "cpu:1"}})});
    const Tensor x = at::ones({4, 3}), y = at::ones({4, 2});
    model.fit(x, y, {.epochs = 1, .verbose = 0});
    model.train_on_batch(x, y);  // the replicas are ahead of the masters
    const auto trained = model.get_weights();
    model.train_on_batch(x, y);
    model.set_weights(trained);
    model.save_weights(path);
    const Tensor before = model.predict(x, {.verbose = 0});
    for (int i = 0; i < 3; ++i) model.train_on_batch(x, y);
    EXPECT_FALSE(at::equal(model.predict(x, {.verbose = 0}), before));
    const auto report = model.load_weights(path);
    EXPECT_TRUE(report.complete());
    EXPECT_TRUE(at::equal(model.predict(x, {.verbose = 0}), before)) << name;
    EXPECT_TRUE(at::equal(model.get_weights()[0], trained[0])) << name;

    Sequential other({layers::Input({3}), layers::Dense(4, {.name = "only"})});
    const auto values = other.get_weights();
    EXPECT_NE(message_of<DataError>([&] { other.load_weights(path); }).find(path), std::string::npos);
    EXPECT_TRUE(at::equal(other.get_weights()[0], values[0]));
  }
  std::filesystem::remove_all(folder);
}

TEST(ModelWeights, OtherEndingsAreRefused) {
  const Sequential model({layers::Input({3}), layers::Dense(1)});
  EXPECT_NE(message_of([&] { model.save_weights("x.txt"); }).find("x.txt"), std::string::npos);
}

}  // namespace
}  // namespace tandem
