// Whole models as .h5 files, against files that real Keras wrote (tests/fixtures/network_cases.py).
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tandem/callbacks/model_checkpoint.h"
#include "tandem/layers/batch_normalization.h"
#include "tandem/layers/dense.h"
#include "tandem/layers/flatten.h"
#include "tandem/layers/input.h"
#include "tandem/layers/register_layer.h"
#include "tandem/losses/huber.h"
#include "tandem/metrics/mean_metric.h"
#include "tandem/model/body.h"
#include "tandem/model/load_model.h"
#include "tandem/optimizers/adam.h"
#include "tandem/optimizers/exponential_decay.h"
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

class SaveLegacyModel : public ::testing::Test {
 protected:
  std::string path(const std::string& name = "m.h5") const { return folder_.file(name); }
  static std::string of_keras(const std::string& name) { return testing::fixture("keras/networks/files/" + name); }

  static Tensor x() { return at::arange(18, at::kFloat).reshape({6, 3}).sin(); }
  static Tensor y() { return at::arange(12, at::kFloat).reshape({6, 2}).cos(); }
  static Model nested(const Handle<Optimizer>& optimizer) {
    const Sequential inner({Input({3}), Dense(4, {.activation = "tanh"}), layers::BatchNormalization()}, "inner");
    const auto in = Input({3});
    Model model(in, Dense(2)(inner(in)), "outer");
    model.compile({.optimizer = optimizer, .loss = losses::Huber({.delta = 0.5}), .metrics = {"mae"}});
    return model;
  }
  static std::vector<double> steps(Model& model, int64_t n) {
    std::vector<double> losses;
    for (int64_t i = 0; i < n; ++i) losses.push_back(model.train_on_batch(x(), y())["loss"]);
    return losses;
  }
  static Config attribute(const std::string& file, const std::string& name) {
    return Config::from_json(saving::H5File::open(file).root().texts(name).at(0));
  }

  testing::TemporaryFolder folder_;
};

// What Keras 3 wrote is read, and written again as it was: config, names, order and values.
TEST_F(SaveLegacyModel, AFileOfKerasIsWrittenAgainAsItWas) {
  const std::string theirs = of_keras("whole.h5");
  load_model(theirs).save(path());
  EXPECT_EQ(attribute(path(), "model_config"), attribute(theirs, "model_config"));
  const auto got = saving::H5File::open(path()), want = saving::H5File::open(theirs);
  for (const char* name : {"backend", "keras_version"}) EXPECT_EQ(got.root().texts(name), want.root().texts(name));
  const auto layers = want.root().group("model_weights"), ours = got.root().group("model_weights");
  EXPECT_EQ(ours.texts("layer_names"), layers.texts("layer_names"));
  EXPECT_EQ(ours.names(), layers.names());
  for (const auto& layer : layers.names()) {
    const auto names = layers.group(layer).texts("weight_names");
    EXPECT_EQ(ours.group(layer).texts("weight_names"), names);
    for (const auto& name : names) {
      const auto shape = layers.group(layer).dataset_shape(name);
      EXPECT_TRUE(at::equal(ours.group(layer).read(name, shape), layers.group(layer).read(name, shape))) << name;
    }
  }
  const auto theirs_state = want.root().group("optimizer_weights");
  const auto state = got.root().group("tandem_optimizer_weights");
  EXPECT_EQ(state.texts("weight_names"), theirs_state.texts("weight_names"));
  for (const auto& name : state.texts("weight_names")) {
    const auto shape = theirs_state.dataset_shape(name);
    EXPECT_TRUE(at::equal(state.read(name, shape), theirs_state.read(name, shape))) << name;
  }
}

TEST_F(SaveLegacyModel, CompileSettingsAreAsKerassButForShortNamesOfLosses) {
  const std::string theirs = of_keras("whole.h5");
  load_model(theirs).save(path());
  Config want = attribute(theirs, "training_config"), loss = want.at("loss");
  EXPECT_EQ(loss.at("size").as_string(), "mse") << "which Keras cannot read again";
  const Config got = attribute(path(), "training_config");
  EXPECT_EQ(got.at("loss").at("size").at("class_name").as_string(), "MeanSquaredError");
  for (const auto& [key, value] : got.as_object()) {
    EXPECT_TRUE(key == "loss" || value == want.at(key)) << key;
  }
  EXPECT_EQ(got.as_object().size(), want.as_object().size());
}

TEST_F(SaveLegacyModel, FiveStepsAndFiveFromTheFileEqualTen) {
  const std::vector<Handle<Optimizer>> optimizers{
      optimizers::Adam({.learning_rate = 0.03, .amsgrad = true}), optimizers::SGD({.momentum = 0.9}),
      optimizers::RMSprop({.momentum = 0.5, .centered = true}),
      optimizers::Adam({.learning_rate = schedules::ExponentialDecay(0.05, 3, 0.7)})};
  for (const auto& optimizer : optimizers) {
    Model whole = nested(optimizer);
    steps(whole, 5);
    whole.save(path());
    Model resumed = load_model(path());
    EXPECT_EQ(steps(resumed, 5), steps(whole, 5)) << optimizer.object()->class_name();
    EXPECT_EQ(resumed.evaluate(x(), y(), {.verbose = 0})["loss"], whole.evaluate(x(), y(), {.verbose = 0})["loss"]);
  }
}

TEST_F(SaveLegacyModel, TheSameModelMakesTheSameBytes) {
  Model model = nested("adam");
  steps(model, 2);
  model.save(path());
  model.save(path("again.hdf5"));
  EXPECT_EQ(testing::file_bytes(path()), testing::file_bytes(path("again.hdf5")));
  load_model(path()).save(path("again.hdf5"));
  EXPECT_EQ(testing::file_bytes(path()), testing::file_bytes(path("again.hdf5")));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_.path()), {}), 2) << "no temporary file is left";
}

TEST_F(SaveLegacyModel, WhatIsNotCompiledComesBackSo) {
  const Sequential model({Input({3}), Dense(2)});
  model.save(path());
  Model read = load_model(path());
  EXPECT_TRUE(at::equal(read.predict(x()), Model(model).predict(x())));
  EXPECT_NE(testing::message_of([&] { read.learning_rate(); }).find("must be compiled"), std::string::npos);
}

TEST_F(SaveLegacyModel, ThePreprocessingIsKept) {
  const Tensor images = at::arange(96, at::kFloat).reshape({2, 4, 4, 3}).remainder(7);
  Sequential model({Input({6, 5, 3}), layers::Flatten(), Dense(2)});
  model.set_preprocessing(data::Preprocessing::fit_mean(data::TensorDataset(images), {6, 5, 3}).rescale(0.1, 0.7));
  model.save(path());
  EXPECT_TRUE(at::equal(load_model(path()).predict(images), model.predict(images)));
}

struct Tripling : Layer {
  Tensor call(const Tensor& x, const CallContext&) override { return x * 3; }
  std::string class_name() const override { return "Tripling"; }
};
struct LegacyNet : SubclassedModel {
  Dense out = track("out", Dense(2));
  Tensor call(const Tensor& x, const CallContext& context) override { return out(x, context); }
  std::string class_name() const override { return "LegacyNet"; }
};

TEST_F(SaveLegacyModel, ClassesOfTheProgramsOwnComeBack) {
  register_layer<Tripling>("Tripling");
  register_layer<LegacyNet>("LegacyNet");
  Sequential model({Input({3}), make_layer<Tripling>(), Dense(2)});
  model.save(path());
  EXPECT_TRUE(at::equal(load_model(path()).predict(x()), model.predict(x())));
  Model net = make_model<LegacyNet>();
  net.compile({.optimizer = "adam", .loss = "mse"});
  steps(net, 3);
  net.save(path());
  Model read = load_model(path());
  EXPECT_EQ(steps(read, 2), steps(net, 2));
}

TEST_F(SaveLegacyModel, ModelCheckpointWritesWholeModels) {
  Model model = nested("adam");
  model.fit(x(), y(),
            {.epochs = 2,
             .verbose = 0,
             .callbacks = {callbacks::ModelCheckpoint(path("best.h5"), {.monitor = "loss", .save_best_only = true})},
             .shuffle = false});
  const auto best = load_model(path("best.h5")).get_weights(), want = model.get_weights();
  ASSERT_EQ(best.size(), want.size());
  for (std::size_t i = 0; i < want.size(); ++i) EXPECT_TRUE(at::equal(best[i], want[i])) << i;
}

TEST_F(SaveLegacyModel, WeightsAloneComeOutOfIt) {
  Model model = nested("sgd"), other = nested("sgd");
  model.save(path());
  EXPECT_TRUE(other.load_weights(path()).complete());
  EXPECT_TRUE(at::equal(other.predict(x()), model.predict(x())));
}

}  // namespace
}  // namespace tandem
