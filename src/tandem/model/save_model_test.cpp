// Whole models as .keras files, and training that goes on from them, against files and numbers of real Keras
// (tests/fixtures/resume_cases.py).
#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/nn/modules/linear.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "tandem/callbacks/model_checkpoint.h"
#include "tandem/core/zip_reader.h"
#include "tandem/core/zip_writer.h"
#include "tandem/distribution/mirrored.h"
#include "tandem/layers/dense.h"
#include "tandem/layers/flatten.h"
#include "tandem/layers/input.h"
#include "tandem/layers/register_layer.h"
#include "tandem/layers/torch_module.h"
#include "tandem/losses/function.h"
#include "tandem/model/body.h"
#include "tandem/model/load_model.h"
#include "tandem/model/multi_gpu.h"
#include "tandem/optimizers/adam.h"
#include "tandem/optimizers/rmsprop.h"
#include "tandem/optimizers/sgd.h"
#include "tandem/saving/h5_file.h"
#include "tandem/testing/captured_log.h"
#include "tandem/testing/message_of.h"
#include "tandem/testing/npy.h"
#include "tandem/testing/temporary_folder.h"

namespace tandem {
namespace {

using layers::Dense;
using layers::Input;
using saving::H5Group;
using testing::CapturedLog;
using testing::file_bytes;
using testing::message_of;
using testing::TemporaryFolder;

std::string resumed_file(const std::string& name) { return testing::fixture("keras/networks/resume/" + name); }
Tensor resumed_array(const std::string& name) { return testing::load_npy(resumed_file(name + ".npy")); }

// A model whose optimizer keeps something for each weight, and data for it.
Model model_to_save(Handle<Optimizer> optimizer = optimizers::Adam({.learning_rate = 0.03})) {
  Sequential model({Input({3}), Dense(4, {.activation = "tanh"}), Dense(2)}, "small");
  model.compile({.optimizer = std::move(optimizer), .loss = "mse", .metrics = {"mae"}});
  return model;
}
Tensor small_x() { return at::arange(18, at::kFloat).reshape({6, 3}).sin(); }
Tensor small_y() { return at::arange(12, at::kFloat).reshape({6, 2}).cos(); }

std::vector<double> train(Model& model, int64_t steps) {
  std::vector<double> losses;
  for (int64_t i = 0; i < steps; ++i) losses.push_back(model.train_on_batch(small_x(), small_y())["loss"]);
  return losses;
}

bool equal(const std::vector<Tensor>& a, const std::vector<Tensor>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const auto& p, const auto& q) { return at::equal(p, q); });
}

// Where two groups differ: in groups, data sets, or their values; empty when nowhere.
std::string groups_differ(const H5Group& got, const H5Group& want) {
  if (got.names() != want.names()) return want.where() + ": other names";
  for (const auto& name : want.names()) {
    if (want.has_group(name)) {
      if (auto found = groups_differ(got.group(name), want.group(name)); !found.empty()) return found;
      continue;
    }
    const Shape shape = want.dataset_shape(name);
    if (got.dataset_shape(name) != shape) return want.where() + "/" + name + ": other shape";
    const Tensor a = got.read(name, shape), b = want.read(name, shape);
    if (a.scalar_type() != b.scalar_type() || !at::equal(a, b)) return want.where() + "/" + name + ": other values";
  }
  return "";
}

class SaveModel : public ::testing::Test {
 protected:
  std::string path(const std::string& name = "m.keras") const { return folder_.file(name); }
  TemporaryFolder folder_;
};

// Adam and its like turn rounding into full steps where a gradient is almost zero; here none is.
TEST_F(SaveModel, TrainingGoesOnFromKerassFilesAsThere) {
  std::ifstream in(resumed_file("case.json"));
  const Config about = Config::from_json(std::string(std::istreambuf_iterator<char>(in), {}));
  const CapturedLog log;
  for (const auto& [name, losses] : about.at("losses").as_object()) {
    Model model = load_model(resumed_file(name + ".keras"));
    for (const auto& want : losses.as_list()) {
      const double got = model.train_on_batch(resumed_array("x"), resumed_array("y"))["loss"];
      EXPECT_NEAR(got, want.as_double(), 1e-5 * want.as_double()) << name;
    }
  }
  EXPECT_TRUE(log.warnings().empty());
}

// The same groups, data sets, order of slots and values, to the bit.
TEST_F(SaveModel, AFileOfKerasIsWrittenAgainAsItWas) {
  std::ifstream in(resumed_file("case.json"));
  const Config about = Config::from_json(std::string(std::istreambuf_iterator<char>(in), {}));
  std::vector<std::string> names{"untrained"};
  for (const auto& [name, losses] : about.at("losses").as_object()) names.push_back(name);
  for (const auto& name : names) {
    load_model(resumed_file(name + ".keras")).save(path());
    const ZipReader got(path()), want(resumed_file(name + ".keras"));
    EXPECT_EQ(got.names(), want.names());
    const auto image = [](const ZipReader& zip) {
      return saving::H5File::open_image(zip.read("model.weights.h5"), "model.weights.h5");
    };
    EXPECT_EQ(groups_differ(image(got).root(), image(want).root()), "") << name;
    EXPECT_EQ(image(got).root().group("optimizer/vars").texts("name").size(), 1U);
    const Config metadata = Config::from_json(got.read("metadata.json"));
    EXPECT_EQ(metadata.at("keras_version").as_string(), "3.15.1");
    EXPECT_TRUE(metadata.contains("date_saved"));
  }
}

TEST_F(SaveModel, FiveStepsAndFiveFromTheFileEqualTen) {
  for (const std::string name : {"adam", "sgd", "rmsprop", "adagrad"}) {
    const Handle<Optimizer> optimizer =
        name == "sgd"       ? Handle<Optimizer>(optimizers::SGD({.momentum = 0.9}))
        : name == "rmsprop" ? Handle<Optimizer>(optimizers::RMSprop({.momentum = 0.5, .centered = true}))
                            : Handle<Optimizer>(name);
    Model whole = model_to_save(optimizer);
    train(whole, 5);
    whole.save(path());
    Model resumed = load_model(path());
    EXPECT_TRUE(equal(resumed.get_weights(), whole.get_weights()));
    EXPECT_EQ(train(resumed, 5), train(whole, 5)) << name;
    EXPECT_TRUE(equal(resumed.get_weights(), whole.get_weights())) << name;
  }
}

TEST_F(SaveModel, FilesOfSeveralDevicesGoOnOnOne) {
  Model whole = model_to_save();
  Model parallel = multi_gpu_model(whole, Devices::parse("cpu*2"));
  parallel.compile({.optimizer = "adam", .loss = "mse"});
  train(parallel, 3);
  parallel.save(path());
  Model one = load_model(path());
  Model two = load_model(path(), {.strategy = distribute::Mirrored({.devices = Devices::parse("cpu*2")})});
  EXPECT_TRUE(equal(one.get_weights(), parallel.get_weights()));
  const auto want = train(parallel, 3), got = train(one, 3);
  EXPECT_EQ(train(two, 3), want);
  for (std::size_t i = 0; i < want.size(); ++i) EXPECT_NEAR(got[i], want[i], 1e-6);
}

TEST_F(SaveModel, TheRateOfTheMomentIsInTheFile) {
  Model model = model_to_save("adam");
  train(model, 2);
  model.set_learning_rate(0.25);
  model.save(path());
  Model read = load_model(path());
  EXPECT_DOUBLE_EQ(read.learning_rate(), 0.25);
  EXPECT_EQ(train(read, 3), train(model, 3));
}

TEST_F(SaveModel, TheSameModelMakesTheSameBytes) {
  Model model = model_to_save();
  train(model, 2);
  model.save(path());
  model.save(path("again.keras"));
  EXPECT_EQ(file_bytes(path()), file_bytes(path("again.keras")));
  load_model(path()).save(path("again.keras"));
  EXPECT_EQ(file_bytes(path()), file_bytes(path("again.keras")));
}

TEST_F(SaveModel, WhatIsNotCompiledComesBackSo) {
  const Sequential model({Input({3}), Dense(2)});
  model.save(path());
  Model read = load_model(path());
  EXPECT_TRUE(equal(read.get_weights(), model.get_weights()));
  EXPECT_NE(message_of([&] { read.learning_rate(); }).find("must be compiled"), std::string::npos);
}

TEST_F(SaveModel, ThePreprocessingIsKept) {
  const Tensor images = at::arange(96, at::kFloat).reshape({2, 4, 4, 3}).remainder(7);
  Sequential model({Input({6, 5, 3}), layers::Flatten(), Dense(2)});
  model.set_preprocessing(data::Preprocessing::fit_mean(data::TensorDataset(images), {6, 5, 3}).rescale(0.1, 0.7));
  model.save(path());
  EXPECT_TRUE(ZipReader(path()).contains("tandem_preprocessing.h5"));
  Model read = load_model(path());
  EXPECT_TRUE(at::equal(read.predict(images), model.predict(images)));
  model.set_preprocessing({});
  model.save(path());
  EXPECT_FALSE(ZipReader(path()).contains("tandem_preprocessing.h5"));
}

TEST_F(SaveModel, ModelCheckpointWritesWholeModels) {
  Model model = model_to_save();
  model.fit(small_x(), small_y(),
            {.epochs = 2,
             .verbose = 0,
             .callbacks = {callbacks::ModelCheckpoint(path("at-{epoch}.keras"))},
             .shuffle = false});
  Model first = load_model(path("at-1.keras"));
  first.fit(small_x(), small_y(), {.epochs = 1, .verbose = 0, .shuffle = false});
  EXPECT_TRUE(equal(first.get_weights(), model.get_weights()));
}

struct Doubling : Layer {
  Tensor call(const Tensor& x, const CallContext&) override { return x * 2; }
  std::string class_name() const override { return "Doubling"; }
};
struct Twice : Doubling {
  std::string class_name() const override { return "Twice"; }
};
struct SmallNet : SubclassedModel {
  Dense out = track("out", Dense(2));
  Tensor call(const Tensor& x, const CallContext& context) override { return out(x, context); }
  std::string class_name() const override { return "SmallNet"; }
};
struct KnownNet : SmallNet {
  std::string class_name() const override { return "KnownNet"; }
};

TEST_F(SaveModel, WhatHasNoConfigIsNamed) {
  const auto error = [&](const Model& model) { return message_of([&] { model.save(path()); }); };
  const std::string then =
      " has no config that files could hold; name its class by register_layer, or save its weights by save_weights";
  Sequential doubling({Input({2}), make_layer<Doubling>()});
  EXPECT_EQ(error(doubling), "save: 'doubling' (Doubling)" + then);
  Model net = make_model<SmallNet>();
  EXPECT_EQ(error(net).find("save: model 'small_net' must be built first"), 0U) << error(net);
  net.predict(at::ones({1, 3}));
  EXPECT_EQ(error(net), "save: 'small_net' (SmallNet)" + then);
  Sequential torch({Input({2}), layers::TorchModule(torch::nn::Linear(2, 2))});
  EXPECT_NE(error(torch).find("(TorchModule)"), std::string::npos) << error(torch);
  Sequential by_function({Input({2}), Dense(2)});
  by_function.compile({.optimizer = "sgd", .loss = losses::function([](const Tensor& y, const Tensor& p) {
                                             return (y - p).square().mean(-1);
                                           })});
  EXPECT_NE(error(by_function).find("its compile settings have no config that files could hold: "), std::string::npos)
      << error(by_function);
  EXPECT_FALSE(std::filesystem::exists(path()));
}

TEST_F(SaveModel, ClassesOfTheProgramsOwnComeBack) {
  register_layer<Twice>("Twice");
  register_layer<KnownNet>("KnownNet");
  Sequential model({Input({2}), make_layer<Twice>(), Dense(2)});
  model.save(path());
  const Tensor x = at::ones({1, 2});
  EXPECT_TRUE(at::equal(load_model(path()).predict(x), model.predict(x)));
  Model net = make_model<KnownNet>();
  net.compile({.optimizer = "adam", .loss = "mse"});
  train(net, 3);
  net.save(path());
  Model read = load_model(path());
  EXPECT_EQ(train(read, 2), train(net, 2));
}

TEST_F(SaveModel, OtherEndingsAreRefused) {
  const Model model = model_to_save();
  const std::string text = "save: the file name must end in .keras, or in .h5 for the format of Keras 2, got '";
  EXPECT_EQ(message_of([&] { model.save("m.txt"); }), text + "m.txt'");
  EXPECT_EQ(message_of([&] { model.save("m.weights.h5"); }), text + "m.weights.h5'; save_weights writes weights alone");
  for (const char* name : {"no/m.keras", "no/m.h5"})
    EXPECT_NE(message_of<DataError>([&] { model.save(path(name)); }).find("does not exist"), std::string::npos) << name;
}

// The state of an optimizer in a file whose weights are loaded: as Keras's load_weights.
TEST_F(SaveModel, WeightsFilesHoldTheOptimizerToo) {
  Model model = model_to_save();
  train(model, 3);
  for (const char* name : {"m.weights.h5", "m.keras"}) {
    name == std::string("m.keras") ? model.save(path(name)) : model.save_weights(path(name));
    const auto state = model.get_weights();
    const auto want = train(model, 2);
    model.load_weights(path(name));
    EXPECT_TRUE(equal(model.get_weights(), state)) << name;
    EXPECT_EQ(train(model, 2), want) << name;
    model.load_weights(path(name));
  }
  // A model that was not trained keeps its own rate and begins anew.
  Model fresh = model_to_save(optimizers::Adam({.learning_rate = 0.5}));
  fresh.load_weights(path("m.weights.h5"));
  EXPECT_DOUBLE_EQ(fresh.learning_rate(), 0.5);
  EXPECT_EQ(fresh.body().optimizer_state().integer("iterations"), 0);
}

TEST_F(SaveModel, AnotherOptimizersStateIsPassedOver) {
  Model model = model_to_save("adam");
  train(model, 2);
  model.save_weights(path("adam.weights.h5"));
  Model other = model_to_save("adagrad");
  train(other, 2);
  const CapturedLog log;
  const auto before = other.body().optimizer_state();
  other.load_weights(path("adam.weights.h5"));
  EXPECT_TRUE(equal(other.get_weights(), model.get_weights()));
  EXPECT_TRUE(at::equal(other.body().optimizer_state().tensor("accumulator/0"), before.tensor("accumulator/0")));
  ASSERT_EQ(log.warnings().size(), 1U);
  EXPECT_EQ(log.warnings()[0], path("adam.weights.h5") +
                                   ": optimizer/vars: holds 10 variables, Adagrad of this model has 6; its state is "
                                   "passed over");
  model_to_save().save_weights(path("new.weights.h5"));
  other.load_weights(path("new.weights.h5"));
  EXPECT_EQ(log.warnings().back(), "model 'small': the file's optimizer made no update yet; this one's state stays");
}

// An archive with another config, weights or member than its model's own.
TEST_F(SaveModel, DamagedArchivesAreNamed) {
  Model model = model_to_save();
  train(model, 1);
  model.save(path());
  const ZipReader zip(path());
  const std::string config = zip.read("config.json"), weights = zip.read("model.weights.h5");
  const auto error_with = [&](const std::string& own_config, const std::string& preprocessing) {
    std::vector<ZipMember> members{{"config.json", own_config}, {"model.weights.h5", weights}};
    if (!preprocessing.empty()) members.push_back({"tandem_preprocessing.h5", preprocessing});
    write_zip_file(path("bad.keras"), members);
    return message_of<DataError>([&] { load_model(path("bad.keras")); });
  };
  EXPECT_EQ(error_with(config, "text").find(path("bad.keras") + ": its preprocessing: tandem_preprocessing.h5"), 0U);
  EXPECT_EQ(error_with(config, ""), "nothing was thrown");
  EXPECT_EQ(error_with("{", "").find(path("bad.keras") + ", member config.json: "), 0U);
}

}  // namespace
}  // namespace tandem
