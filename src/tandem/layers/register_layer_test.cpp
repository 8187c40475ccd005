#include "tandem/layers/register_layer.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "tandem/core/error.h"
#include "tandem/layers/dense.h"
#include "tandem/layers/layer_config.h"
#include "tandem/testing/message_of.h"

namespace tandem {
namespace {

using testing::message_of;

/// Made from a config by a function.
class ScaleLayer : public Layer {
 public:
  explicit ScaleLayer(double factor) : factor_(factor) {}
  Tensor call(const Tensor& x, const CallContext&) override { return x * factor_; }
  Config get_config() const override { return Config::object({{"factor", factor_}}); }

 private:
  double factor_;
};

/// By from_config.
struct ShiftLayer : Layer {
  explicit ShiftLayer(double by) : by(by) {}
  static std::shared_ptr<ShiftLayer> from_config(const Config& config) {
    return std::make_shared<ShiftLayer>(config.at("by").as_double());
  }
  Tensor call(const Tensor& x, const CallContext&) override { return x + by; }
  Config get_config() const override { return Config::object({{"by", by}}); }
  double by;
};

/// By a constructor.
struct PowerLayer : Layer {
  explicit PowerLayer(const Config& config) : exponent(config.at("exponent").as_int()) {}
  Tensor call(const Tensor& x, const CallContext&) override { return x.pow(exponent); }
  Config get_config() const override { return Config::object({{"exponent", exponent}}); }
  int64_t exponent;
};

/// Without settings.
struct NegateLayer : Layer {
  Tensor call(const Tensor& x, const CallContext&) override { return -x; }
};

/// A program's own layer under the name of one of Tandem's.
struct OwnDense : Layer {
  std::string class_name() const override { return "Dense"; }
  Tensor call(const Tensor& x, const CallContext&) override { return x * 3; }
};

void register_all() {
  static const bool once = [] {
    register_layer<ScaleLayer>(
        "Scale", [](const Config& config) { return make_layer<ScaleLayer>(config.at("factor").as_double()); });
    register_layer<ShiftLayer>("sums>Shift");
    register_layer<PowerLayer>("Power");
    register_layer<NegateLayer>("Negate");
    register_layer<OwnDense>("Dense");
    return true;
  }();
  EXPECT_TRUE(once);
}

double value_of(const LayerHandle& layer) { return layer(at::full({1, 1}, 3.0)).item<double>(); }

TEST(RegisterLayer, MakesLayersFromTheirConfigs) {
  register_all();
  EXPECT_EQ(value_of(layer_from_config("Scale", Config::object({{"factor", 2.0}}))), 6);
  EXPECT_EQ(value_of(layer_from_config("Custom>Scale", Config::object({{"factor", 2.0}}))), 6);
  EXPECT_EQ(value_of(layer_from_config("sums>Shift", Config::object({{"by", 2.5}}))), 5.5);
  EXPECT_EQ(value_of(layer_from_config("Shift", Config::object({{"by", 2.5}}))), 5.5);
  EXPECT_EQ(value_of(layer_from_config("Power", Config::object({{"exponent", 2}}))), 9);
  EXPECT_EQ(value_of(layer_from_config("Negate", Config::object({{"name", "n"}, {"trainable", false}}))), -3);
  const auto named =
      layer_from_config("Power", Config::object({{"exponent", 2}, {"name", "cube"}, {"trainable", false}}));
  EXPECT_EQ(named.name(), "cube");
  EXPECT_FALSE(named->trainable());
}

TEST(RegisterLayer, OneOfTandemsNamesIsKeptApart) {
  register_all();
  EXPECT_EQ(value_of(layer_from_config("Custom>Dense", Config::object())), 9);
  EXPECT_EQ(value_of(layer_from_config("Dense", Config::object(), LayerOrigin::kProgram)), 9);
  const auto dense = layer_from_config("Dense", Config::object({{"units", 2}}));
  EXPECT_EQ(registered_layer_name(*dense), "");
  EXPECT_EQ(layer_to_config(*dense).at("module").as_string(), "keras.layers");
  EXPECT_EQ(registered_layer_name(*make_layer<OwnDense>()), "Custom>Dense");
}

TEST(RegisterLayer, WritesThemUnderTheirNames) {
  register_all();
  auto layer = make_layer<ShiftLayer>(1.5);
  layer->set_name("up");
  EXPECT_EQ(layer_to_config(*layer).to_json(),
            R"({"module":null,"class_name":"Shift","config":{"name":"up","trainable":true,"dtype":{"module":"keras",)"
            R"("class_name":"DTypePolicy","config":{"name":"float32"},"registered_name":null},"by":1.5},)"
            R"("registered_name":"sums>Shift"})");
  struct Unknown : NegateLayer {};
  EXPECT_EQ(layer_to_config(*make_layer<Unknown>()).at("registered_name").as_string(), "Unknown")
      << "as Keras writes a class that was not registered";
}

TEST(RegisterLayer, SaysWhatIsWrong) {
  register_all();
  EXPECT_EQ(message_of([] { register_layer("Scale", [](const Config&) { return LayerHandle(); }); }),
            "register: layer 'Custom>Scale' was added before");
  EXPECT_EQ(message_of([] { register_layer<ScaleLayer>("Scale2", [](const Config&) { return LayerHandle(); }); }),
            "register: the class of layer 'Scale2' was added before as 'Custom>Scale'");
  EXPECT_EQ(message_of([] { layer_from_config("Scael", {}); }).find("layer 'Scael' is not known; did you mean"), 0U);
  EXPECT_EQ(message_of<DataError>([] {
              layer_from_config("Negate", Config::object({{"factor", 2}}));
            }),
            "layer 'Negate': its config has 'factor', but its class has neither from_config nor a constructor from a "
            "Config to read it");
  EXPECT_EQ(message_of([] { layer_from_config("Missing", Config::object(), LayerOrigin::kProgram); }),
            "layer 'Missing' is a class of a program's own; register_layer must name it before files are read");
}

}  // namespace
}  // namespace tandem
