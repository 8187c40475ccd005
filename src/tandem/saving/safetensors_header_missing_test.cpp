// A build without nlohmann-json.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tandem/saving/safetensors.h"
#include "tandem/testing/message_of.h"
#include "tandem/testing/temporary_folder.h"

namespace tandem::saving {
namespace {

TEST(WithoutJson, WritingAndReadingSafetensorsSaySo) {
  const testing::TemporaryFolder folder;
  const std::string path = folder.file("a.safetensors");
  const std::string text = "safetensors files cannot be read or written: Tandem was built without nlohmann-json";
  EXPECT_EQ(testing::message_of([&] { save_safetensors({{"a", at::ones({1})}}, path); }), text);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
  folder.write("a.safetensors", std::string("\x02\0\0\0\0\0\0\0{}", 10));
  EXPECT_EQ(testing::message_of([&] { load_safetensors(path); }), text);
}

}  // namespace
}  // namespace tandem::saving
