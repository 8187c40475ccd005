// A build without nlohmann-json.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "tandem/saving/keras_networks_test.h"
#include "tandem/saving/safetensors.h"
#include "tandem/testing/message_of.h"

namespace tandem::saving {
namespace {

TEST(WithoutJson, WritingAndReadingSafetensorsSaySo) {
  const ScratchFolder folder;
  const std::string path = folder.file("a.safetensors");
  const std::string text = "safetensors files cannot be read or written: Tandem was built without nlohmann-json";
  EXPECT_EQ(testing::message_of([&] { save_safetensors({{"a", at::ones({1})}}, path); }), text);
  EXPECT_EQ(folder.content(), "");
  write_bytes(path, std::string("\x02\0\0\0\0\0\0\0{}", 10));
  EXPECT_EQ(testing::message_of([&] { load_safetensors(path); }), text);
}

}  // namespace
}  // namespace tandem::saving
