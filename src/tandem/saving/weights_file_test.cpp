// Writing weights, reading them back, and what does not fit.
#include "tandem/saving/weights_file.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "tandem/core/error.h"
#include "tandem/layers/dense.h"
#include "tandem/layers/input.h"
#include "tandem/network/chain.h"
#include "tandem/network/subclassed.h"
#include "tandem/saving/h5_file.h"
#include "tandem/saving/keras_networks_test.h"
#include "tandem/testing/captured_log.h"
#include "tandem/testing/message_of.h"
#include "tandem/testing/npy.h"

namespace tandem::saving {
namespace {

using layers::Dense;
using testing::message_of;

// Dense layers of the given widths on 4 inputs, named so.
std::shared_ptr<Network> denses(const std::vector<std::pair<std::string, int64_t>>& layers) {
  const auto chain = std::make_shared<Chain>();
  chain->set_name("denses");
  chain->add(layers::Input({4}));
  for (const auto& [name, width] : layers) chain->add(Dense(width, {.name = name}));
  return chain;
}

std::string message_of_load(Network& network, const std::string& path, const LoadWeightsOptions& options = {}) {
  const Tensor before = flat_weights(network);
  const auto message = message_of<DataError>([&] { load_weights(network, path, options); });
  EXPECT_TRUE(at::equal(flat_weights(network), before)) << "a file that does not fit must change nothing";
  return message;
}

class WeightsFile : public ::testing::TestWithParam<std::string> {};

TEST_P(WeightsFile, ComesBackInBothLayouts) {
  const ScratchFolder folder;
  for (const std::string name : {"a.weights.h5", "a.h5", "a.hdf5"}) {
    const auto network = network_named(GetParam()), other = network_named(GetParam());
    set_counted_weights(*network);
    save_weights(*network, folder.file(name));
    EXPECT_TRUE(load_weights(*other, folder.file(name)).complete()) << name;
    EXPECT_TRUE(at::equal(flat_weights(*other), flat_weights(*network))) << name;
  }
}

TEST_P(WeightsFile, HasTheSameBytesEveryTime) {
  const ScratchFolder folder;
  const auto network = network_named(GetParam());
  set_counted_weights(*network);
  const std::string keras3 = folder.file("a.weights.h5"), legacy = folder.file("a.h5");
  save_weights(*network, keras3);
  save_weights(*network, legacy);
  const std::string first = read_bytes(keras3), second = read_bytes(legacy);
  std::this_thread::sleep_for(std::chrono::milliseconds(1100));  // were there times, they would have moved
  save_weights(*network, keras3);
  save_weights(*network, legacy);
  EXPECT_TRUE(read_bytes(keras3) == first);
  EXPECT_TRUE(read_bytes(legacy) == second);
}

INSTANTIATE_TEST_SUITE_P(Models, WeightsFile, ::testing::Values("functional", "sequential", "subclassed"));

// All groups and data sets, those of real Keras's file without its optimizer.
void list_paths(const H5Group& group, const std::string& prefix, std::vector<std::string>& paths) {
  for (const auto& name : group.names()) {
    if (prefix.empty() && name == "optimizer") continue;
    const std::string path = prefix + name;
    const bool inner = group.has_group(name);
    paths.push_back(inner ? path : path + group.dataset_shape(name).to_string());
    if (inner && name == "vars") paths.back() += " " + group.group(name).texts("name").at(0);
    if (inner) list_paths(group.group(name), path + "/", paths);
  }
}

TEST(WeightsFileLayout, PathsShapesAndNamesAreThoseOfRealKeras) {
  const ScratchFolder folder;
  for (const std::string model : {"functional", "sequential", "subclassed"}) {
    save_weights(*network_named(model), folder.file("a.weights.h5"));
    std::vector<std::string> ours, keras;
    list_paths(H5File::open(folder.file("a.weights.h5")).root(), "", ours);
    list_paths(H5File::open(testing::fixture("keras/saving/" + model + "/keras3.weights.h5")).root(), "", keras);
    for (auto& path : ours) {  // Python's attribute is _last, TensorFlow does not take that as the layer's name
      if (path.ends_with(" _last")) path.replace(path.size() - 5, 5, "last");
    }
    EXPECT_EQ(ours, keras) << model;
  }
}

TEST(WeightsFileLayout, LegacyNamesAreThoseOfKeras2) {
  const ScratchFolder folder;
  save_weights(*functional_network(), folder.file("a.h5"));
  const H5Group ours = H5File::open(folder.file("a.h5")).root();
  const H5Group keras = H5File::open(testing::fixture("keras/saving/functional/keras2.h5")).root();
  EXPECT_EQ(ours.names(), keras.names());
  EXPECT_EQ(ours.texts("layer_names"), keras.texts("layer_names"));
  for (const auto& name : keras.names())
    EXPECT_EQ(ours.group(name).texts("weight_names"), keras.group(name).texts("weight_names")) << name;
}

TEST(WeightsFileErrors, EndingsAndNetworksThatAreNotBuilt) {
  const ScratchFolder folder;
  const auto network = dense_network();
  EXPECT_NE(message_of([&] { save_weights(*network, folder.file("a.keras")); }).find("must end in .weights.h5"),
            std::string::npos);
  Chain unbuilt;
  unbuilt.set_name("unbuilt");
  unbuilt.add(Dense(2));
  EXPECT_EQ(message_of([&] { save_weights(unbuilt, folder.file("a.h5")); }),
            "save_weights: model 'unbuilt' must be built first: give it an input shape, or call it on a batch");
  EXPECT_EQ(message_of([&] { load_weights(unbuilt, folder.file("a.h5")); }),
            "load_weights: model 'unbuilt' must be built first: give it an input shape, or call it on a batch");
  EXPECT_NE(message_of<DataError>([&] { save_weights(*network, folder.file("no/a.h5")); }).find("does not exist"),
            std::string::npos);
  EXPECT_EQ(folder.content(), "");
}

TEST(WeightsFileErrors, Keras3LayersThatAreMissingOrLeftOver) {
  const ScratchFolder folder;
  const std::string path = folder.file("a.weights.h5");
  save_weights(*denses({{"a", 4}, {"b", 4}}), path);
  const auto three = denses({{"a", 4}, {"b", 4}, {"c", 4}}), one = denses({{"a", 4}}),
             wide = denses({{"a", 4}, {"b", 5}});
  EXPECT_EQ(message_of_load(*three, path),
            path +
                ": must hold the weights of model 'denses'; missing: c (layers/dense_2); "
                "not in the model: none");
  EXPECT_EQ(message_of_load(*one, path), path +
                                             ": must hold the weights of model 'denses'; missing: none; not in the "
                                             "model: b (layers/dense_1)");
  EXPECT_EQ(message_of_load(*wide, path),
            path + ": layers/dense_1/vars/0: kernel must have shape (4, 5), has (4, 4); layer 'b'");
  const testing::CapturedLog log;
  EXPECT_EQ(load_weights(*three, path, {.skip_mismatch = true}).to_string(), "loaded 2, missing 1: c (layers/dense_2)");
  EXPECT_EQ(load_weights(*one, path, {.skip_mismatch = true}).to_string(), "loaded 1, surplus 1: b (layers/dense_1)");
  EXPECT_EQ(load_weights(*wide, path, {.skip_mismatch = true}).to_string(), "loaded 1, skipped 1: b (layers/dense_1)");
  EXPECT_EQ(log.warnings().back(), "load_weights: " + path + ": loaded 1, skipped 1: b (layers/dense_1)");
  EXPECT_NE(message_of([&] { load_weights(*one, path, {.by_name = true}); }).find("by_name works with legacy .h5"),
            std::string::npos);
}

TEST(WeightsFileErrors, LegacyLayersByOrder) {
  const ScratchFolder folder;
  const std::string path = folder.file("a.h5");
  save_weights(*denses({{"a", 4}, {"b", 4}}), path);
  const auto renamed = denses({{"x", 4}, {"y", 4}}), three = denses({{"a", 4}, {"b", 4}, {"c", 4}}),
             wide = denses({{"a", 4}, {"b", 5}});
  EXPECT_EQ(load_weights(*renamed, path).to_string(), "loaded 2");
  EXPECT_EQ(message_of_load(*three, path),
            path +
                ": model 'denses' has 3 layers with weights, the file 2; in the file: a, "
                "b; in the model: a, b, c");
  EXPECT_EQ(message_of_load(*wide, path),
            path + ": b/b/kernel:0: kernel must have shape (4, 5), has (4, 4); layer 'b'");
  const testing::CapturedLog log;
  EXPECT_EQ(load_weights(*wide, path, {.skip_mismatch = true}).to_string(), "loaded 1, skipped 1: b");
}

TEST(WeightsFileErrors, LegacyLayersByName) {  // user-asks U79
  const ScratchFolder folder;
  const std::string path = folder.file("a.h5");
  const auto saved = denses({{"a", 4}, {"b", 4}, {"c", 4}, {"d", 3}});
  set_counted_weights(*saved);
  save_weights(*saved, path);
  const auto others = denses({{"p", 4}, {"q", 4}});
  EXPECT_EQ(message_of_load(*others, path, {.by_name = true}),
            path + ": nothing in it fits model 'denses'; layers in the file: a, b, c, d; in the model: p, q");

  const testing::CapturedLog log;
  const auto renamed = denses({{"d", 4}, {"c", 4}, {"b", 4}, {"x", 4}});
  EXPECT_EQ(message_of_load(*renamed, path, {.by_name = true}),
            path + ": d/d/kernel:0: kernel must have shape (4, 4), has (4, 3); layer 'd'");
  const Tensor first = renamed->get_weights()[0];
  const auto report = load_weights(*renamed, path, {.by_name = true, .skip_mismatch = true});
  EXPECT_EQ(report.to_string(), "loaded 2, skipped 1: d, missing 1: x, surplus 1: a");
  EXPECT_TRUE(at::equal(renamed->get_weights()[0], first));
  EXPECT_TRUE(at::equal(renamed->get_weights()[2], saved->get_weights()[4])) << "c";
  EXPECT_TRUE(at::equal(renamed->get_weights()[4], saved->get_weights()[2])) << "b";
  EXPECT_EQ(load_weights(*denses({{"a", 4}, {"b", 4}, {"c", 4}, {"x", 3}}), path, {.by_name = true}).to_string(),
            "loaded 3, missing 1: x, surplus 1: d");
}

TEST(WeightsFileErrors, NumberOfWeightsOfALayer) {
  const ScratchFolder folder;
  const auto make = [](bool bias) {
    const auto chain = std::make_shared<Chain>();
    chain->set_name("one");
    chain->add(layers::Input({4}));
    chain->add(Dense(2, {.use_bias = bias, .name = "a"}));
    return chain;
  };
  for (const std::string name : {"a.weights.h5", "a.h5"}) save_weights(*make(true), folder.file(name));
  const auto without = make(false);
  EXPECT_EQ(message_of_load(*without, folder.file("a.weights.h5")),
            folder.file("a.weights.h5") + ": layers/dense/vars: must hold 1 weights, has 2; layer 'a'");
  EXPECT_EQ(message_of_load(*without, folder.file("a.h5")),
            folder.file("a.h5") + ": a: layer 'a' has 1 weights, the file 2");
  EXPECT_EQ(message_of_load(*without, folder.file("a.h5"), {.by_name = true, .skip_mismatch = true}),
            folder.file("a.h5") + ": nothing in it fits model 'one'; layers in the file: a; in the model: a");
}

TEST(WeightsFileAtomic, AFailureLeavesTheOldFile) {
  const ScratchFolder folder;
  const std::string path = folder.file("a.weights.h5");
  const auto network = dense_network();
  save_weights(*network, path);
  const std::string old = read_bytes(path);
  struct Clash : SubclassedModel {  // fails half-way: two layers at one path
    Dense one = track("one", Dense(2));
    Tensor call(const Tensor& x, const CallContext& context) override { return one(x, context); }
    std::vector<std::pair<std::string, std::shared_ptr<Layer>>> named_children() const override {
      return {{"same", one.get()}, {"same", Dense(3).get()}};
    }
  };
  Clash clash;
  clash.set_name("clash");
  clash.ensure_built({{Shape::kUnknown, 2}});
  EXPECT_NE(message_of([&] { save_weights(clash, path); }).find("would both be stored as same"), std::string::npos);
  EXPECT_TRUE(read_bytes(path) == old);
  EXPECT_EQ(folder.content(), "a.weights.h5");
}

TEST(WeightsFileAtomic, KilledWhileSavingTheOldOrTheNewFileIsThere) {  // user-asks U76
  for (const std::string name : {"a.weights.h5", "a.h5"}) {
    const ScratchFolder folder;
    const std::string path = folder.file(name);
    const auto network = functional_network(), loaded = functional_network();
    const Tensor one = at::full({network->count_params()}, 1.0F), two = at::full({network->count_params()}, 2.0F);
    set_flat_weights(*network, one);
    save_weights(*network, path);
    int ones = 0, twos = 0;
    for (int i = 0; i < 20; ++i) {
      const pid_t child = fork();
      if (child == 0) {
        for (int k = 0;; ++k) {
          set_flat_weights(*network, k % 2 == 0 ? two : one);
          save_weights(*network, path);
        }
      }
      std::this_thread::sleep_for(std::chrono::microseconds(3000 + 1700 * i));
      kill(child, SIGKILL);
      int status = 0;
      ASSERT_EQ(waitpid(child, &status, 0), child);
      ASSERT_TRUE(WIFSIGNALED(status)) << "saving ended by itself";
      EXPECT_TRUE(load_weights(*loaded, path).complete());
      ones += at::equal(flat_weights(*loaded), one) ? 1 : 0;
      twos += at::equal(flat_weights(*loaded), two) ? 1 : 0;
    }
    EXPECT_EQ(ones + twos, 20) << name;
    EXPECT_GT(twos, 0) << name << ": no save was finished in time";
  }
}

}  // namespace
}  // namespace tandem::saving
