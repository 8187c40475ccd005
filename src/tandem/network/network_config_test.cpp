// Configs of whole networks against those that real Keras wrote (tests/fixtures/network_cases.py).
#include "tandem/network/network_config.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "tandem/core/error.h"
#include "tandem/layers/catalog.h"
#include "tandem/layers/dense.h"
#include "tandem/layers/input.h"
#include "tandem/layers/keras_calls.h"
#include "tandem/layers/register_layer.h"
#include "tandem/network/clone.h"
#include "tandem/network/graph.h"
#include "tandem/network/subclassed.h"
#include "tandem/testing/captured_log.h"
#include "tandem/testing/closeness.h"
#include "tandem/testing/config_difference.h"
#include "tandem/testing/message_of.h"
#include "tandem/testing/npy.h"
#include "tandem/testing/temporary_folder.h"

namespace tandem {
namespace {

using testing::config_difference;
using testing::fixture;

template <class Act>
std::string data_error(Act&& act) {
  return testing::message_of<DataError>(act);
}

std::string text_of(const std::string& file) {
  std::ifstream in(file);
  EXPECT_TRUE(in.good()) << file;
  return std::string(std::istreambuf_iterator<char>(in), {});
}

/// A folder of keras/networks.
struct NetworkCase {
  explicit NetworkCase(const std::string& name) : folder("keras/networks/" + name + "/") {}

  std::string text() const { return text_of(fixture(folder + "config.json")); }
  Config about() const { return Config::from_json(text_of(fixture(folder + "case.json"))); }
  /// prefix0.npy, prefix1.npy, ...
  std::vector<Tensor> all(const std::string& prefix) const {
    std::vector<Tensor> found;
    for (;;) {
      const auto file = fixture(folder + prefix + std::to_string(found.size()) + ".npy");
      if (!std::ifstream(file).good()) return found;
      found.push_back(testing::load_npy(file));
    }
  }

  std::string folder;
};

void expect_computes_as_keras(Network& network, const NetworkCase& keras, const std::string& name) {
  network.set_weights(keras.all("weight"));
  const auto wanted = keras.all("output");
  const Tensors got = network.call_many(keras.all("x"), {});
  ASSERT_EQ(got.size(), static_cast<int64_t>(wanted.size())) << name;
  for (std::size_t i = 0; i < wanted.size(); ++i)
    EXPECT_EQ(testing::difference(got[static_cast<int64_t>(i)], wanted[i], 1e-5), "") << name << ", output " << i;
}

const char* const kKeras3[] = {"shared",          "called_backwards", "several",    "by_name",
                               "lists_of_one",    "nothing_between",  "nested",     "nested_two_inputs",
                               "three_levels",    "residual",         "sequential", "sequential_fixed_batch",
                               "sequential_late", "sequential_nested"};
const char* const kKeras2[] = {"keras2_nested", "keras2_sequential", "keras2_shared"};

TEST(NetworkConfig, WhatKerasWroteIsWrittenAgain) {
  for (const std::string name : kKeras3) {
    const NetworkCase keras(name);
    const auto network = network_from_json(keras.text());
    EXPECT_EQ(config_difference(Config::from_json(network_to_json(*network)), Config::from_json(keras.text())), "")
        << name;

    const Config about = keras.about();
    const auto& names = about.at("weights").as_list();
    const auto weights = network->weights();
    ASSERT_EQ(weights.size(), names.size()) << name;
    const auto trained = network->trainable_weights();
    for (std::size_t i = 0; i < names.size(); ++i) {
      EXPECT_EQ(weights[i].name(), names[i].as_list()[0].as_string()) << name << ", weight " << i;
      EXPECT_EQ(weights[i].shape().sizes(), names[i].as_list()[1].as_ints()) << name << ", weight " << i;
      EXPECT_EQ(std::find(trained.begin(), trained.end(), weights[i]) != trained.end(),
                about.at("trainable").as_list()[i].as_bool())
          << name << ", weight " << i;
    }
    expect_computes_as_keras(*network, keras, name);
  }
}

TEST(NetworkConfig, ChainThatIsNotBuiltIsWrittenAgain) {
  const NetworkCase keras("sequential_unbuilt");
  const auto network = network_from_json(keras.text());
  EXPECT_FALSE(network->built());
  EXPECT_EQ(config_difference(Config::from_json(network_to_json(*network)), Config::from_json(keras.text())), "");
}

TEST(NetworkConfig, Keras2ModelsComputeTheSame) {
  for (const std::string name : kKeras2) {
    const NetworkCase keras(name);
    const auto network = network_from_json(keras.text());
    expect_computes_as_keras(*network, keras, name);
    // From then on it is a model of Keras 3.
    const auto text = network_to_json(*network);
    EXPECT_EQ(text.find("batch_input_shape"), std::string::npos) << name;
    const auto again = network_from_json(text);
    EXPECT_EQ(network_to_json(*again), text) << name;
    expect_computes_as_keras(*again, keras, name);
  }
}

// Writes texts that real Keras then reads (tests/conformance/read_configs.py), to the folder that TANDEM_WRITE_FILES
// names or to one that goes again: NAME.network.json.
TEST(NetworkConfigForKeras, Texts) {
  const testing::TemporaryFolder scratch;
  const char* chosen = std::getenv("TANDEM_WRITE_FILES");
  const std::string folder = chosen ? chosen : scratch.path();
  std::filesystem::create_directories(folder);
  std::vector<std::string> names(std::begin(kKeras3), std::end(kKeras3));
  names.insert(names.end(), std::begin(kKeras2), std::end(kKeras2));
  for (const auto& name : names) {
    std::ofstream out(folder + "/" + name + ".network.json");
    out << network_to_json(*network_from_json(NetworkCase(name).text())) << "\n";
    EXPECT_TRUE(out.good()) << name;
  }
}

TEST(NetworkConfig, CopiesKeepTheirConfig) {
  for (const std::string name : {"nested", "three_levels", "by_name", "sequential_nested"}) {
    const NetworkCase keras(name);
    const auto network = network_from_json(keras.text());
    const auto copy = clone_network(*network);
    EXPECT_EQ(network_to_json(*copy), network_to_json(*network)) << name;
    EXPECT_NE(copy->weights().front(), network->weights().front()) << name;
  }
}

TEST(NetworkConfig, OutputsGivenByNameHaveThatName) {
  const auto network = network_from_json(NetworkCase("by_name").text());
  EXPECT_EQ(network->output_names(), (std::vector<std::string>{"far", "z"}));
}

TEST(NetworkConfig, FixedBatchTakesOtherBatches) {
  const auto network = network_from_json(NetworkCase("sequential_fixed_batch").text());
  EXPECT_EQ(network->input_shapes(), (Shapes{{4, 3}}));
  EXPECT_EQ(network->call_many(at::ones({7, 3}), {}).front().size(0), 7);
}

TEST(NetworkConfig, CallsAreNotedAsKerasNotesThem) {
  const Config calls = Config::from_json(text_of(fixture("keras/networks/calls/case.json"))).at("calls");
  std::size_t known = 0;
  for (const auto& name : layer_class_names()) {
    if (!calls.contains(name)) continue;
    ++known;
    EXPECT_EQ(keras_writes_build_config(name), calls.at(name).at("build_config").as_bool()) << name;
    EXPECT_EQ(keras_call_arguments(name, 1).to_json(), calls.at(name).at("arguments").to_json()) << name;
  }
  EXPECT_GT(known, 10U);
}

/// A layer and a model of a program's own.
struct TimesLayer : Layer {
  explicit TimesLayer(const Config& config) : factor(config.at("factor").as_double()) {}
  Tensor call(const Tensor& x, const CallContext&) override { return x * factor; }
  Config get_config() const override { return Config::object({{"factor", factor}}); }
  double factor;
};
struct OwnNetwork : SubclassedModel {
  layers::Dense hidden = track("hidden", layers::Dense(2));
  Tensor call(const Tensor& x, const CallContext& context) override { return hidden(x, context); }
};

TEST(NetworkConfig, LayersAndModelsOfAProgramsOwn) {
  static const bool registered = [] {
    register_layer<TimesLayer>("shapes>Times");
    register_layer<OwnNetwork>("OwnNetwork");
    return true;
  }();
  ASSERT_TRUE(registered);
  const auto x = layers::Input({3}, {.name = "x"});
  const auto times = make_layer<TimesLayer>(Config::object({{"factor", 2.5}}));
  times->set_name("times");
  const Graph graph(x, times(x));
  const auto text = network_to_json(graph);
  EXPECT_NE(text.find(R"("registered_name":"shapes>Times")"), std::string::npos);
  const auto again = network_from_json(text);
  EXPECT_EQ(network_to_json(*again), text);
  EXPECT_TRUE(at::equal(again->call_many(at::ones({2, 3}), {}).front(), at::full({2, 3}, 2.5)));

  const auto own = std::make_shared<OwnNetwork>();
  own->set_name("own");
  own->ensure_built({{Shape::kUnknown, 3}});
  const auto read = network_from_json(network_to_json(*own));
  EXPECT_NE(std::dynamic_pointer_cast<OwnNetwork>(read), nullptr);
  EXPECT_EQ(read->name(), "own");
  EXPECT_EQ(read->count_params(), 8) << "built for the shape in build_config";
}

// A functional model of one Dense that can be damaged.
Config small_model() { return Config::from_json(NetworkCase("lists_of_one").text()); }

/// `config` with the member or item at `path` replaced.
Config replaced(const Config& config, const std::vector<std::string>& path, const Config& value, std::size_t at = 0) {
  if (at == path.size()) return value;
  if (config.is_list()) {
    Config::List list = config.as_list();
    auto& item = list.at(static_cast<std::size_t>(std::stoi(path[at])));
    item = replaced(item, path, value, at + 1);
    return list;
  }
  Config object = config;
  object.set(path[at], replaced(config.get(path[at], {}), path, value, at + 1));
  return object;
}

std::string error_with(const std::vector<std::string>& path, const Config& value) {
  const auto text = replaced(small_model(), path, value).to_json();
  EXPECT_THROW(network_from_json(text), DataError);
  return data_error([&] { network_from_json(text); });
}

TEST(NetworkConfig, DamagedOnesSayWhere) {
  const auto reference = [](const char* name, int64_t call, int64_t output) {
    return Config::List{name, call, output};
  };
  const std::vector<std::string> history = {"config", "layers", "1",      "inbound_nodes", "0",
                                            "args",   "0",      "config", "keras_history"};
  EXPECT_EQ(error_with({"config", "layers", "1", "class_name"}, "Dens"),
            "model config: layers[1] 'dense': layer 'Dens' is not known; did you mean 'Dense'?");
  EXPECT_EQ(error_with({"class_name"}, "Sequental")
                .find("model config: layer 'Sequental' is not known; did you mean "
                      "'Sequential'"),
            0U);
  EXPECT_EQ(error_with({"config", "layers", "1", "config", "units"}, -2),
            "model config: layers[1] 'dense': Dense: units must be positive, got -2");
  EXPECT_EQ(error_with({"config", "layers", "1", "config", "dtype"}, "bfloat16"),
            "model config: layers[1] 'dense': Dense: dtype: precision 'bfloat16' is not known; known: "
            "'float32', 'mixed_bfloat16', 'mixed_float16'");
  EXPECT_EQ(error_with({"config", "layers", "0", "config", "dtype"}, "string"),
            "model config: layers[0] 'input_layer': Input: dtype must be float32, int32 or int64, got string");
  EXPECT_EQ(error_with({"config", "layers", "0", "config", "sparse"}, true),
            "model config: layers[0] 'input_layer': InputLayer: sparse is not supported and must be null, got true");
  EXPECT_EQ(error_with({"config", "layers", "0", "config", "batch_shape"}, Config::List{{}, -3}),
            "model config: layers[0] 'input_layer': config: a shape must be a list of positive whole numbers and "
            "nulls, got [null,-3]");
  EXPECT_EQ(error_with({"config", "layers", "1", "name"}, "input_layer"),
            "model config: layers[1] 'input_layer': the name is used by more than one layer; names must be unique");
  EXPECT_EQ(error_with({"config", "layers", "1", "inbound_nodes"}, Config::List{}),
            "model config: layers[1] 'dense': the layer is never called: inbound_nodes must not be empty");
  EXPECT_EQ(error_with(history, reference("lost", 0, 0)),
            "model config: layers[1] 'dense': a reference must name a layer of the model, got 'lost'");
  EXPECT_EQ(error_with(history, reference("input_layer", 3, 0)),
            "model config: layers[1] 'dense': a reference must be to a call of layer 'input_layer', which has 1, got "
            "call 3, output 0");
  EXPECT_EQ(error_with(history, reference("input_layer", 0, 2)),
            "model config: layers[1] 'dense': layer 'input_layer' has 1 outputs, output 2 is asked for");
  EXPECT_EQ(error_with(history, reference("dense", 0, 0)),
            "model config: layers[1] 'dense': the layer needs its own output, or waits for layers that do: calls must "
            "not form a circle");
  EXPECT_EQ(error_with(history, Config::List{"input_layer", 0}),
            "model config: layers[1] 'dense': a reference must be [layer, call, output], got [\"input_layer\",0]");
  EXPECT_EQ(error_with({"config", "layers", "1", "inbound_nodes", "0", "kwargs"},
                       Config::object({{"initial_state", Config::List{1}}})),
            "model config: layers[1] 'dense': call argument 'initial_state' is not supported and must be null, got "
            "[1]");
  EXPECT_EQ(error_with({"config", "layers", "1", "inbound_nodes", "0", "args"}, Config::List{2.5}),
            "model config: layers[1] 'dense': a call's argument must be a tensor, is 2.5");
  EXPECT_EQ(error_with({"config", "output_layers"}, Config::List{reference("dense", -1, 0)}),
            "model config: a reference must be to a call of layer 'dense', which has 1, got call -1, output 0");
  EXPECT_EQ(error_with({"config", "output_layers"}, Config::List{reference("dense", 0, 1)}),
            "model config: layer 'dense' has 1 outputs, output 1 is asked for");
  EXPECT_EQ(error_with(history, reference("input_layer", INT64_MIN, INT64_MIN))
                .find("model config: layers[1] 'dense': a "
                      "reference must be to a call"),
            0U);
  EXPECT_EQ(error_with({"config", "output_layers"}, 5),
            "model config: config: inputs and outputs must be references [layer, call, output] in lists or objects, "
            "got 5");
  EXPECT_EQ(error_with({"config", "input_layers"}, Config::List{reference("dense", 0, 0)}),
            "model config: model: inputs must come from Input, got the output of layer 'dense'");
  EXPECT_EQ(error_with({"config", "layers"}, "none"), "model config: config: must be a list, got \"none\"");
  EXPECT_EQ(error_with({"config", "layers", "1", "module"}, "keras.src.ops.numpy")
                .find("model config: layers[1] 'dense': operation 'Dense' is not known; known: 'Add', "),
            0U);
  EXPECT_EQ(error_with({"config", "layers", "1", "module"}, "my_layers"),
            "model config: layers[1] 'dense': layer 'Dense' is a class of a program's own; register_layer must name it "
            "before files are read");
  EXPECT_EQ(error_with({"class_name"}, "Dense").find("model config: config: member 'units' is missing"), 0U);
  EXPECT_THROW(network_from_json("{}"), DataError);
  EXPECT_THROW(network_from_json("[1]"), DataError);
  EXPECT_THROW(network_from_json("{\"class_name\": \"Sequential\", \"config\": {}}"), DataError);
}

TEST(NetworkConfig, ErrorsInModelsWithinModelsGiveTheWholePath) {
  auto config = Config::from_json(NetworkCase("three_levels").text());
  config = replaced(config, {"config", "layers", "1", "config", "layers", "1", "config", "layers", "1", "class_name"},
                    "LSTTM");
  EXPECT_EQ(data_error([&] { network_from_json(config.to_json()); })
                .find("model config: layers[1] 'middle': layers[1] 'inner': layers[1] 'dense': layer 'LSTTM' is not "
                      "known"),
            0U);
}

TEST(NetworkConfig, CirclesOfSeveralLayersAreFound) {
  auto config = Config::from_json(NetworkCase("shared").text());  // left, right, shared, concatenate, top
  config = replaced(config, {"config", "layers", "2", "inbound_nodes", "1", "args", "0", "config", "keras_history"},
                    Config::List{"concatenate", 0, 0});
  EXPECT_EQ(data_error([&] { network_from_json(config.to_json()); }),
            "model config: layers[2] 'shared': the layer needs its own output, or waits for layers that do: calls must "
            "not form a circle");
}

/// A functional config of `count` layers in a row, from the last to the first.
Config long_config(int64_t count) {
  const auto name = [](int64_t i) { return i < 0 ? std::string("in") : "a" + std::to_string(i); };
  Config::List layers;
  for (int64_t i = count - 1; i >= 0; --i) {
    layers.push_back(Config::object(
        {{"class_name", "Activation"},
         {"name", name(i)},
         {"config", Config::object({{"activation", "tanh"}})},
         {"inbound_nodes", Config::List{Config::List{Config::List{name(i - 1), 0, 0, Config::object()}}}}}));
  }
  layers.push_back(Config::object({{"class_name", "InputLayer"},
                                   {"name", "in"},
                                   {"config", Config::object({{"batch_shape", Config::List{{}, 2}}})}}));
  return Config::object({{"layers", std::move(layers)},
                         {"input_layers", Config::List{"in", 0, 0}},
                         {"output_layers", Config::List{name(count - 1), 0, 0}}});
}

TEST(NetworkConfig, LongOnesAreReadAndTooLongOnesRefused) {
  auto network = network_from_config("Functional", long_config(3000));
  EXPECT_EQ(network->layers().size(), 3001U);
  network.reset();
  EXPECT_EQ(data_error([] { network_from_config("Functional", long_config(20000)); }),
            "model config: must have at most 10000 layers, has 20001");
}

TEST(NetworkConfig, ModelsWithinModelsWithoutEndAreRefused) {
  Config config = Config::object({{"layers", Config::List{}}});
  for (int i = 0; i < 300; ++i) {
    config = Config::object(
        {{"layers", Config::List{Config::object({{"class_name", "Sequential"}, {"config", std::move(config)}})}}});
  }
  EXPECT_NE(data_error([&] { network_from_config("Sequential", config); }).find("must not nest deeper than this"),
            std::string::npos);
}

TEST(NetworkConfig, TrainingInACallIsSaidToBeIgnored) {
  const testing::CapturedLog log;
  auto config = small_model();
  config = replaced(config, {"config", "layers", "1", "inbound_nodes", "0", "kwargs"},
                    Config::object({{"training", true}, {"mask", {}}}));
  network_from_json(config.to_json());
  ASSERT_EQ(log.warnings().size(), 1U);
  EXPECT_EQ(log.warnings()[0],
            "model config: layer 'dense' is called with training=True; fit, evaluate and predict say for "
            "themselves whether they train, as in Keras");
}

}  // namespace
}  // namespace tandem
