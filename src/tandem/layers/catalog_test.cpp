#include "tandem/layers/catalog.h"

#include <gtest/gtest.h>

#include <set>

#include "tandem/core/error.h"
#include "tandem/layers/lambda.h"
#include "tandem/testing/message_of.h"

namespace tandem {
namespace {

// A penalty on what a layer returns must not be lost without a word.
TEST(LayerCatalog, AnActivityRegularizerIsKeptOrRefused) {
  const auto entry = [](const char* name) {
    return Config::object({{"class_name", name}, {"config", Config::object({{"units", 2}})}});
  };
  const auto config = Config::object({{"activity_regularizer", "l2"},
                                      {"cell", entry("LSTMCell")},
                                      {"cells", Config::List{entry("LSTMCell")}},
                                      {"layer", entry("LSTM")},
                                      {"activation", "relu"},
                                      {"units", 2},
                                      {"filters", 2},
                                      {"kernel_size", 3},
                                      {"rate", 0.5},
                                      {"target_shape", Config::list({2})},
                                      {"dims", Config::list({1})},
                                      {"scale", 1},
                                      {"height", 2},
                                      {"width", 2},
                                      {"input_dim", 2},
                                      {"output_dim", 2},
                                      {"axes", 1},
                                      {"n", 2},
                                      {"stddev", 0.5},
                                      {"factor", 0.5},
                                      {"height_factor", 0.5},
                                      {"width_factor", 0.5},
                                      {"equation", "ab,bc->ac"},
                                      {"num_heads", 2},
                                      {"key_dim", 2},
                                      {"head_dim", 2},
                                      {"num_query_heads", 2},
                                      {"num_key_value_heads", 1},
                                      {"function", Config::object({{"class_name", "function"}, {"config", "same"}})},
                                      {"output_shape", Config::list({2})}});
  const std::set<std::string> keep = {"Conv1D",
                                      "Conv1DTranspose",
                                      "Conv2D",
                                      "Conv2DTranspose",
                                      "Conv3D",
                                      "Conv3DTranspose",
                                      "ConvLSTM1D",
                                      "ConvLSTM2D",
                                      "ConvLSTM3D",
                                      "GRU",
                                      "LSTM",
                                      "RNN",
                                      "SimpleRNN",
                                      "Dense",
                                      "DepthwiseConv1D",
                                      "DepthwiseConv2D",
                                      "EinsumDense",
                                      "GroupQueryAttention",
                                      "MultiHeadAttention",
                                      "SeparableConv1D",
                                      "SeparableConv2D"};
  register_function("same", [](const Tensor& x) { return x; });
  for (const auto& name : layer_class_names()) {
    if (keep.contains(name)) {
      EXPECT_TRUE(layer_from_config(name, config)->get_config().at("activity_regularizer").is_object()) << name;
      continue;
    }
    Config usual = config;
    if (name.ends_with("Normalization")) usual.set("scale", true);
    EXPECT_EQ(testing::message_of([&] { layer_from_config(name, usual); }),
              name + ": activity_regularizer is not supported and must be null, got \"l2\"");
    usual.set("activity_regularizer", {});
    EXPECT_EQ(layer_from_config(name, usual)->class_name(), name);
  }
}

}  // namespace
}  // namespace tandem
