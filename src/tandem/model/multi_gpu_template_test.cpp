// Whatever saves or shows a parallel model saves or shows its template.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "tandem/callbacks/model_checkpoint.h"
#include "tandem/layers/batch_normalization.h"
#include "tandem/layers/dense.h"
#include "tandem/layers/input.h"
#include "tandem/model/load_model.h"
#include "tandem/model/multi_gpu.h"
#include "tandem/model/parallel_model_checkpoint.h"
#include "tandem/testing/closeness.h"
#include "tandem/testing/temporary_folder.h"

namespace tandem {
namespace {

using testing::difference;
using testing::file_bytes;

Model small_net() {
  return Sequential({layers::Input({3}), layers::Dense(4, {.activation = "tanh", .name = "hidden"}),
                     layers::BatchNormalization({.name = "norm"}), layers::Dense(1, {.name = "head"})},
                    "net");
}

class TemplateFiles : public ::testing::Test {  // U04
 protected:
  TemplateFiles() : x_(at::arange(72, at::kFloat).view({24, 3}).sin()) {
    parallel_.compile({.optimizer = "adam", .loss = "mse"});
  }

  std::string file(const std::string& name) const { return folder_.file(name); }
  void fit(std::vector<Handle<Callback>> callbacks = {}) {
    parallel_.fit(x_, x_.sum(1, true), {.batch_size = 8, .verbose = 0, .callbacks = std::move(callbacks)});
  }
  void expect_the_template(Model loaded, const std::string& what) {
    std::vector<std::string> names, want;
    for (const auto& layer : loaded.layers()) names.push_back(layer.name());
    for (const auto& layer : model_.layers()) want.push_back(layer.name());
    EXPECT_EQ(names, want) << what;
    EXPECT_EQ(difference(loaded.predict(x_), parallel_.predict(x_), 1e-6), "") << what;
  }

  testing::TemporaryFolder folder_;
  Tensor x_;
  Model model_ = small_net();
  Model parallel_ = multi_gpu_model(model_, Devices::parse("cpu*4"));
};

TEST_F(TemplateFiles, OfSaveAreTheTemplates) {
  fit();
  for (const char* name : {"m.keras", "m.h5"}) {
    parallel_.save(file(name));
    expect_the_template(load_model(file(name)), name);
  }
}

TEST_F(TemplateFiles, OfTheTemplateAreTheSameBytesButForTheOptimizer) {
  fit();
  for (const char* name : {"m.h5", "m.hdf5"}) {
    parallel_.save_weights(file(name));
    model_.save_weights(file("template.h5"));
    EXPECT_EQ(file_bytes(file(name)), file_bytes(file("template.h5"))) << name;
  }
  parallel_.save_weights(file("m.weights.h5"));
  Model plain = small_net();
  EXPECT_TRUE(plain.load_weights(file("m.weights.h5")).complete());
  expect_the_template(plain, "weights");
}

TEST_F(TemplateFiles, OfCallbacksAreTheTemplates) {
  using callbacks::ModelCheckpoint, callbacks::ParallelModelCheckpoint;
  fit({ModelCheckpoint(file("a.keras")), ModelCheckpoint(file("a.h5")),
       ModelCheckpoint(file("best.h5"), {.monitor = "loss", .save_best_only = true}),
       ModelCheckpoint(file("w.h5"), {.save_weights_only = true}),
       ModelCheckpoint(file("w.weights.h5"), {.save_weights_only = true}),
       ParallelModelCheckpoint(model_, file("p.keras"))});
  for (const char* name : {"a.keras", "a.h5", "best.h5", "p.keras"}) expect_the_template(load_model(file(name)), name);
  for (const char* name : {"w.h5", "w.weights.h5"}) {
    Model plain = small_net();
    EXPECT_TRUE(plain.load_weights(file(name)).complete()) << name;
    expect_the_template(plain, name);
  }
}

TEST_F(TemplateFiles, EitherModelLoadsThem) {
  fit();
  parallel_.save(file("m.h5"));
  const Tensor want = parallel_.predict(x_);
  fit();
  EXPECT_NE(difference(parallel_.predict(x_), want, 1e-6), "");
  parallel_.load_weights(file("m.h5"));
  EXPECT_EQ(difference(parallel_.predict(x_), want, 1e-6), "");
  EXPECT_EQ(difference(model_.predict(x_), want, 1e-6), "") << "they share their weights";
  fit();
  model_.load_weights(file("m.h5"));
  EXPECT_EQ(difference(parallel_.predict(x_), want, 1e-6), "");
}

TEST_F(TemplateFiles, TextsAreTheTemplates) {
  EXPECT_EQ(parallel_.summary_text(), model_.summary_text());
  EXPECT_EQ(clone_model(parallel_).to_json(), model_.to_json());
  model_.compile({.optimizer = "adam", .loss = "mse"});
  EXPECT_EQ(parallel_.to_json(), model_.to_json());
  EXPECT_EQ(parallel_.count_params(), model_.count_params());
}

}  // namespace
}  // namespace tandem
