#include "tandem/network/mask_operations.h"

#include <gtest/gtest.h>

namespace tandem {
namespace {

std::string tensor(const std::string& name) {
  return R"({"class_name": "__keras_tensor__", "config": {"keras_history": [")" + name + R"(", 0, 0]}})";
}
std::string layer(const std::string& type, const std::string& name, const std::string& config, const std::string& args,
                  const std::string& kwargs = "{}") {
  const bool is_operation = type == "NotEqual" || type == "Any" || type == "LogicalOr";
  return R"({"module": ")" + std::string(is_operation ? "keras.src.ops.numpy" : "keras.layers") +
         R"(", "class_name": ")" + type + R"(", "name": ")" + name + R"(", "config": )" + config +
         R"(, "inbound_nodes": [{"args": [)" + args + R"(], "kwargs": )" + kwargs + "}]}";
}
Config graph(const std::vector<std::string>& layers, const std::string& outputs = R"(["out", 0, 0])") {
  std::string list;
  for (const auto& one : layers) list += (list.empty() ? "" : ", ") + one;
  return Config::from_json(R"({"layers": [)" + list + R"(], "output_layers": )" + outputs + "}");
}

const std::string kWords = layer("Embedding", "words", R"({"mask_zero": true})", tensor("ids"));
const std::string kMask = R"({"mask": )" + tensor("mask") + "}";
const std::string kCounted = layer("NotEqual", "mask", "{}", tensor("ids") + ", 0");

TEST(MaskOperations, GoWhereTheLayersSayTheSame) {
  EXPECT_EQ(without_mask_operations(graph({kWords, kCounted, layer("LSTM", "out", "{}", tensor("words"), kMask)})),
            graph({kWords, layer("LSTM", "out", "{}", tensor("words"), R"({"mask": null})")}));
  const std::string padded = layer("Masking", "padded", R"({"mask_value": -1.0})", tensor("ids"));
  const std::string differs = layer("NotEqual", "differs", "{}", tensor("ids") + ", -1.0");
  const std::string any = layer("Any", "mask", "{}", tensor("differs"));
  EXPECT_EQ(without_mask_operations(graph({differs, padded, any, layer("LSTM", "out", "{}", tensor("padded"), kMask)})),
            graph({padded, layer("LSTM", "out", "{}", tensor("padded"), R"({"mask": null})")}));
}

TEST(MaskOperations, OthersStay) {
  const auto lstm = layer("LSTM", "out", "{}", tensor("words"), kMask);
  const auto unchanged = [](const Config& config) { EXPECT_EQ(without_mask_operations(config), config); };
  unchanged(graph({kWords, lstm}));
  // Another value, another tensor, an Embedding that makes none: masks of the program's own.
  unchanged(graph({kWords, layer("NotEqual", "mask", "{}", tensor("ids") + ", 1"), lstm}));
  unchanged(graph({kWords, layer("NotEqual", "mask", "{}", tensor("other") + ", 0"), lstm}));
  unchanged(graph({layer("Embedding", "words", R"({"mask_zero": false})", tensor("ids")), kCounted, lstm}));
}

TEST(MaskOperations, ThatAreDataTooStay) {
  const auto lstm = layer("LSTM", "lstm", "{}", tensor("words"), kMask);
  const auto plain = layer("LSTM", "lstm", "{}", tensor("words"), R"({"mask": null})");
  const auto dense = layer("Dense", "out", "{}", tensor("mask"));
  EXPECT_EQ(without_mask_operations(graph({kWords, kCounted, lstm, dense})), graph({kWords, kCounted, plain, dense}));
  EXPECT_EQ(without_mask_operations(graph({kWords, kCounted, lstm}, R"([["lstm", 0, 0], ["mask", 0, 0]])")),
            graph({kWords, kCounted, plain}, R"([["lstm", 0, 0], ["mask", 0, 0]])"));
}

TEST(MaskOperations, TakesConfigsOfAnyShape) {
  for (const char* text :
       {"null", "[]", R"({"layers": 3})", R"({"layers": [1, null, {"module": "keras.src.ops.numpy"}]})",
        R"({"layers": [{"module": "keras.src.ops.numpy", "class_name": "NotEqual", "name": "a",
                               "inbound_nodes": [{"args": [{"class_name": "__keras_tensor__", "config": 1}]}]}]})"})
    EXPECT_EQ(without_mask_operations(Config::from_json(text)), Config::from_json(text)) << text;
}

}  // namespace
}  // namespace tandem
