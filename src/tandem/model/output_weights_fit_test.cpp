// Sample weights by output. Numbers of Keras 3.15 on TensorFlow:
//   i = Input((2,)); a = Dense(1, kernel_initializer="ones", name="main")(i); b = Dense(2, ..., name="side")(i)
//   m = Model(i, [a, b]); m.compile(SGD(0.1), loss=["mse", "mae"], loss_weights=[1.0, 0.5],
//     metrics=[["mae"], ["mse"]], weighted_metrics=[["mse"], ["mae"]])
//   x = np.arange(12).reshape(6, 2) / 10; ya = np.arange(6).reshape(6, 1) / 4; yb = np.arange(12).reshape(6, 2) / 8
//   w1 = [1, 2, 0, 1, 0.5, 3]; w2 = [0, 1, 1, 2, 4, 0.5]
//   m.fit(x, [ya, yb], sample_weight=..., batch_size=4, shuffle=False, epochs=2)
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "tandem/data/batch_generator.h"
#include "tandem/layers/dense.h"
#include "tandem/layers/flatten.h"
#include "tandem/layers/input.h"
#include "tandem/model/parity_case_test.h"
#include "tandem/network/subclassed.h"
#include "tandem/optimizers/sgd.h"
#include "tandem/testing/message_of.h"

namespace tandem {
namespace {

using namespace layers;
using namespace parity;
using testing::message_of;

struct WeighedData {
  Tensor x = at::arange(12, at::kFloat).reshape({6, 2}) / 10;
  Tensors y = {at::arange(6, at::kFloat).reshape({6, 1}) / 4, at::arange(12, at::kFloat).reshape({6, 2}) / 8};
  Tensor w1 = at::tensor({1.0F, 2.0F, 0.0F, 1.0F, 0.5F, 3.0F});
  Tensor w2 = at::tensor({0.0F, 1.0F, 1.0F, 2.0F, 4.0F, 0.5F});
};

Model two_heads(int64_t devices) {
  const auto i = Input({2});
  Model model(i, {Dense(1, {.kernel_initializer = "ones", .name = "main"})(i),
                  Dense(2, {.kernel_initializer = "ones", .name = "side"})(i)});
  model.compile({.optimizer = optimizers::SGD({.learning_rate = 0.1}),
                 .loss = {"mse", "mae"},
                 .loss_weights = {1.0, 0.5},
                 .metrics = MetricsArgument::by_output({{"mae"}, {"mse"}}),
                 .weighted_metrics = MetricsArgument::by_output({{"mse"}, {"mae"}}),
                 .strategy = on_devices(devices)});
  return model;
}

using Figures = std::map<std::string, std::vector<double>>;

void expect_history(const History& history, const Figures& keras) {
  for (const auto& [name, values] : keras) {
    ASSERT_EQ(history[name].size(), values.size()) << name;
    for (std::size_t i = 0; i < values.size(); ++i)
      EXPECT_NEAR(history[name][i], values[i], 3e-6 * (1 + values[i])) << name << " of epoch " << i;
  }
}

void expect_flat(const std::vector<Tensor>& weights, const std::vector<double>& keras) {
  std::vector<Tensor> flat;
  for (const auto& weight : weights) flat.push_back(weight.reshape({-1}));
  EXPECT_TRUE(at::allclose(at::cat(flat).to(at::kDouble), at::tensor(keras, at::kDouble), 1e-5, 1e-6)) << at::cat(flat);
}

const Figures kByOutput = {
    {"loss", {0.730266809463501, 0.2603297531604767}},        {"main_loss", {0.5116424560546875, 0.019777817651629448}},
    {"main_mae", {0.44029998779296875, 0.12992215156555176}}, {"main_mse", {0.3020426332950592, 0.020999236032366753}},
    {"side_loss", {0.8706406354904175, 0.5863515138626099}},  {"side_mae", {0.4979485273361206, 0.3304668962955475}},
    {"side_mse", {0.21714520454406738, 0.10293785482645035}}};
const std::vector<double> kByOutputWeights = {0.7405985593795776, 0.7135775089263916,   -0.2702106833457947,
                                              0.8849999904632568, 0.8849999904632568,   0.8687499761581421,
                                              0.8687499761581421, -0.16250000894069672, -0.16250000894069672};

TEST(OutputWeightsFit, ListsAndMapsAreKeras) {  // sample_weight=[w1, w2]
  const WeighedData d;
  const FitOptions fit{.batch_size = 4, .epochs = 2, .verbose = 0, .shuffle = false};
  for (const int64_t devices : {1, 2, 3}) {
    for (const SampleWeightArgument& weights :
         {SampleWeightArgument{d.w1, d.w2}, SampleWeightArgument{{"side", d.w2}, {"main", d.w1}},
          SampleWeightArgument::by_name({{"main", d.w1}, {"side", d.w2}})}) {
      auto model = two_heads(devices);
      auto options = fit;
      options.sample_weight = weights;
      expect_history(model.fit(d.x, d.y, options), kByOutput);
      expect_flat(model.get_weights(), kByOutputWeights);
    }
    auto model = two_heads(devices);
    const data::TensorDataset set(d.x, d.y, {d.w1, d.w2});
    expect_history(model.fit(set.batch(4), {.epochs = 2, .verbose = 0}), kByOutput);
  }
}

TEST(OutputWeightsFit, SomeOrOneForAll) {  // sample_weight=[w1, None]; sample_weight=w1
  const WeighedData d;
  for (const int64_t devices : {1, 2}) {
    auto some = two_heads(devices);
    expect_history(
        some.fit(d.x, d.y,
                 {.batch_size = 4, .epochs = 2, .verbose = 0, .shuffle = false, .sample_weight = {d.w1, Tensor()}}),
        {{"loss", {0.5800741314888, 0.1924886256456375}},
         {"main_mse", {0.3020426332950592, 0.020999236032366753}},
         {"side_loss", {0.47318750619888306, 0.3924843668937683}},
         {"side_mae", {0.4050416648387909, 0.33247917890548706}}});
    auto one = two_heads(devices);
    expect_history(
        one.fit(d.x, d.y, {.batch_size = 4, .epochs = 2, .verbose = 0, .shuffle = false, .sample_weight = d.w1}),
        {{"loss", {0.6682954430580139, 0.24159014225006104}},
         {"side_loss", {0.7566015720367432, 0.5696561336517334}},
         {"side_mae", {0.4651874899864197, 0.34454578161239624}}});
  }
}

TEST(OutputWeightsFit, ValidationTakesThemToo) {
  const WeighedData d;
  for (const int64_t devices : {1, 3}) {
    for (const SampleWeightArgument& swapped :
         {SampleWeightArgument{d.w2, d.w1}, SampleWeightArgument{{"main", d.w2}, {"side", d.w1}}}) {
      auto model = two_heads(devices);  // sample_weight=[w1, w2], validation_data=(x, [ya, yb], [w2, w1])
      expect_history(model.fit(d.x, d.y,
                               {.batch_size = 4,
                                .epochs = 2,
                                .verbose = 0,
                                .validation_data = {d.x, d.y, swapped},
                                .shuffle = false,
                                .sample_weight = {d.w1, d.w2}}),
                     {{"val_loss", {0.23094439506530762, 0.1472831517457962}},
                      {"val_main_mse", {0.016330234706401825, 0.006519737653434277}},
                      {"val_side_mae", {0.3324958384037018, 0.22087495028972626}}});
    }
    auto model = two_heads(devices);  // sample_weight=[w1, w2], validation_split=0.34
    expect_history(model.fit(d.x, d.y,
                             {.batch_size = 4,
                              .epochs = 2,
                              .verbose = 0,
                              .validation_split = 0.34,
                              .shuffle = false,
                              .sample_weight = {d.w1, d.w2}}),
                   {{"loss", {0.13249999284744263, 0.10985765606164932}},
                    {"val_loss", {1.4036474227905273, 1.282232403755188}},
                    {"val_side_mae", {0.5767564177513123, 0.5506282448768616}}});
  }
}

TEST(OutputWeightsFit, EvaluateAndOnBatch) {
  const WeighedData d;
  for (const int64_t devices : {1, 2}) {
    auto model = two_heads(devices);
    const auto logs = model.evaluate(d.x, d.y, {.batch_size = 4, .verbose = 0, .sample_weight = {d.w1, d.w2}});
    EXPECT_NEAR(logs["loss"], 0.8453124165534973, 3e-6);
    EXPECT_NEAR(logs["main_loss"], 0.6578124165534973, 3e-6);
    EXPECT_NEAR(logs["side_mae"], 0.5227941274642944, 3e-6);
    const BatchOptions options{.sample_weight = {{"main", d.w1}, {"side", d.w2}}};
    for (const auto& figures : {model.test_on_batch(d.x, d.y, options), model.train_on_batch(d.x, d.y, options)}) {
      EXPECT_NEAR(figures["loss"], 0.8453124165534973, 3e-6);
      EXPECT_NEAR(figures["main_loss"], 0.47499990463256836, 3e-6);
      EXPECT_NEAR(figures["side_loss"], 0.7406250834465027, 3e-6);
      EXPECT_NEAR(figures["main_mse"], 0.37999993562698364, 3e-6);
    }
  }
}

TEST(OutputWeightsFit, BatchesOfAFunctionBringThem) {  // the generator yields x[s], (ya[s], yb[s]), (w1[s], w2[s])
  const WeighedData d;
  const data::Batch whole{d.x, d.y, {d.w1, d.w2}};
  for (const int64_t devices : {1, 2}) {
    auto model = two_heads(devices);
    const auto history = model.fit(data::BatchGenerator([&](int64_t) {
                                     return [&, i = int64_t{0}]() mutable -> std::optional<data::Batch> {
                                       if (i == 6) return std::nullopt;
                                       const int64_t begin = std::exchange(i, i == 0 ? 4 : 6);
                                       return whole.slice(begin, i);
                                     };
                                   }),
                                   {.verbose = 0});
    expect_history(
        history,
        {{"loss", {0.730266809463501}}, {"main_mse", {0.3020426332950592}}, {"side_mae", {0.4979485273361206}}});
    expect_flat(model.get_weights(),
                {0.7321614623069763, 0.7011768817901611, -0.30984628200531006, 0.9424999952316284, 0.9424999952316284,
                 0.934374988079071, 0.934374988079071, -0.08125000447034836, -0.08125000447034836});
  }
}

// Keras: i = Input((3, 2)); a = Dense(1, "ones", name="main")(i); b = Dense(1, "ones", name="side")(Flatten()(i));
// SGD(0.1), mse for both, weighted_metrics=[["mae"], ["mae"]]; x = np.arange(24).reshape(4, 3, 2) / 20,
// y = np.arange(12).reshape(4, 3, 1) / 10 and np.arange(4).reshape(4, 1) / 3,
// sample_weight=[np.arange(12).reshape(4, 3) % 5 / 2, [1, 0, 2, 0.5]]; batch_size=3, epochs=2, shuffle=False
TEST(OutputWeightsFit, ByStepForOneOutputByRowForAnother) {
  for (const int64_t devices : {1, 2, 4}) {
    const auto i = Input({3, 2});
    Model model(i, {Dense(1, {.kernel_initializer = "ones", .name = "main"})(i),
                    Dense(1, {.kernel_initializer = "ones", .name = "side"})(Flatten()(i))});
    model.compile({.optimizer = optimizers::SGD({.learning_rate = 0.1}),
                   .loss = {"mse", "mse"},
                   .weighted_metrics = MetricsArgument::by_output({{"mae"}, {"mae"}}),
                   .strategy = on_devices(devices)});
    const auto history =
        model.fit(at::arange(24, at::kFloat).reshape({4, 3, 2}) / 20,
                  {at::arange(12, at::kFloat).reshape({4, 3, 1}) / 10, at::arange(4, at::kFloat).reshape({4, 1}) / 3},
                  {.batch_size = 3,
                   .epochs = 2,
                   .verbose = 0,
                   .shuffle = false,
                   .sample_weight = {at::arange(12, at::kFloat).reshape({4, 3}).remainder(5) / 2,
                                     at::tensor({1.0F, 0.0F, 2.0F, 0.5F})}});
    expect_history(history, {{"loss", {7.9613142013549805, 0.1786138266324997}},
                             {"main_loss", {0.40552854537963867, 0.07104816287755966}},
                             {"main_mae", {0.5797836184501648, 0.1930428296327591}},
                             {"side_loss", {6.004969596862793, 0.12837837636470795}},
                             {"side_mae", {2.6557672023773193, 0.3595448136329651}}});
    expect_flat(model.get_weights(), {0.7503380179405212, 0.7351387143135071, -0.3039861023426056, 0.42791444063186646,
                                      0.38661351799964905, 0.3453125059604645, 0.3040115535259247, 0.26271048188209534,
                                      0.22140958905220032, -0.8260196447372437});
  }
}

TEST(OutputWeightsFit, AModelsOwnStepSeesThemByOutput) {
  struct Own : SubclassedModel {
    Dense head = track("head", Dense(1));
    Tensor call(const Tensor& x, const CallContext& context) override { return head(x, context); }
    void test_step(Step& step) override {
      step.report("first", step.sample_weight().mean());
      step.report("second", step.sample_weight(1).mean());
    }
  };
  const WeighedData d;
  Model model(std::make_shared<Own>());
  model.compile({.optimizer = "sgd", .loss = "mse", .strategy = on_devices(2)});
  const auto logs = model.evaluate(data::TensorDataset(d.x, d.y, {d.w1, d.w2}), {.verbose = 0});
  EXPECT_NEAR(logs["first"], d.w1.mean().item<double>(), 1e-6);
  EXPECT_NEAR(logs["second"], d.w2.mean().item<double>(), 1e-6);
}

TEST(OutputWeightsFit, MustFitTheOutputs) {
  const WeighedData d;
  const auto refused = [&](const SampleWeightArgument& weights) {
    return message_of([&] { two_heads(1).fit(d.x, d.y, {.verbose = 0, .sample_weight = weights}); });
  };
  EXPECT_EQ(refused({d.w1, d.w2, d.w1}),
            "fit: sample_weight must be one tensor, or a list with one for each of 2 outputs, got a list of 3");
  EXPECT_EQ(refused(std::vector{d.w1}),
            "fit: sample_weight must be one tensor, or a list with one for each of 2 outputs, got a list of 1");
  EXPECT_EQ(refused({{"main", d.w1}}),
            "fit: sample_weight must name every output, got none for 'side'; Tensor() weighs 1");
  EXPECT_NE(refused({{"main", d.w1}, {"sid", d.w2}}).find("fit: sample_weight: output 'sid'"), std::string::npos)
      << refused({{"main", d.w1}, {"sid", d.w2}});
  EXPECT_EQ(refused({d.w1, d.w2.slice(0, 1)}), "data set: all tensors must have the rows of x[0], 6; weights[1] has 5");
  EXPECT_EQ(message_of([&] {
              two_heads(1).fit(d.x, d.y, {.verbose = 0, .validation_data = {d.x, d.y, {{"main", d.w1}}}});
            }),
            "fit: validation_data: sample_weight must name every output, got none for 'side'; Tensor() weighs 1");
  EXPECT_NE(message_of([&] {
              two_heads(1).fit(d.x, d.y, {.verbose = 0, .class_weight = {{0, 2.0}}});
            }).find("class_weight: must be used with one output, got 2"),
            std::string::npos);
}

}  // namespace
}  // namespace tandem
