// Safetensors files against those of the format's own library (tests/fixtures/safetensors_cases.py).
#include "tandem/saving/safetensors.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "tandem/core/error.h"
#include "tandem/saving/keras_networks_test.h"
#include "tandem/testing/message_of.h"
#include "tandem/testing/npy.h"

namespace tandem::saving {
namespace {

using testing::fixture;
using testing::message_of;

// What safetensors_cases.py writes: a tensor of each type, one number, one without values, a name that is no ASCII.
NamedTensors tensors_of_all_types() {
  const Tensor steps = at::arange(6, at::kLong).view({2, 3});
  return {{"bool", steps.remainder(2) == 0},
          {"u8", (steps * 40).to(at::kByte)},
          {"i8", (steps - 2).to(at::kChar)},
          {"i16", ((steps - 2) * 1000).to(at::kShort)},
          {"f16", ((steps - 2) * 0.5).to(at::kHalf)},
          {"bf16", ((steps - 2) * 0.5).to(at::kBFloat16)},
          {"i32", ((steps - 2) * 100000).to(at::kInt)},
          {"f32", ((steps - 2) * 0.125).to(at::kFloat)},
          {"f64", (steps - 2).to(at::kDouble) / 3},
          {"i64", (steps - 2) * 10000000000},
          {"number", at::scalar_tensor(2.5, at::kFloat)},
          {"nothing", at::empty({0, 3}, at::kFloat)},
          {"größe \"a\"\n", at::full({1}, 7.0F)}};
}

TEST(Safetensors, ReadsWhatTheFormatsOwnLibraryWrote) {
  const auto content = load_safetensors(fixture("safetensors/types.safetensors"));
  EXPECT_EQ(content.metadata, (std::map<std::string, std::string>{{"made by", "safetensors"}}));
  const auto wanted = tensors_of_all_types();
  ASSERT_EQ(content.tensors.size(), wanted.size());
  for (const auto& [name, tensor] : wanted) {
    const auto found = std::find_if(content.tensors.begin(), content.tensors.end(),
                                    [&, &name = name](const auto& other) { return other.first == name; });
    ASSERT_NE(found, content.tensors.end()) << name;
    EXPECT_EQ(found->second.scalar_type(), tensor.scalar_type()) << name;
    EXPECT_TRUE(at::equal(found->second, tensor)) << name;
  }
}

TEST(Safetensors, WritesTheBytesThatTheFormatsOwnLibraryWrites) {
  const ScratchFolder folder;
  auto tensors = tensors_of_all_types();
  for (int turn = 0; turn < 2; ++turn) {
    save_safetensors(tensors, folder.file("a.safetensors"), {{"made by", "safetensors"}});
    EXPECT_TRUE(read_bytes(folder.file("a.safetensors")) == read_bytes(fixture("safetensors/types.safetensors")));
    std::reverse(tensors.begin(), tensors.end());  // their order makes no difference
  }
  EXPECT_EQ(folder.content(), "a.safetensors");
}

TEST(Safetensors, TensorsOfAnyLayoutAreWrittenRowMajor) {
  const ScratchFolder folder;
  const Tensor turned = at::arange(6, at::kFloat).view({2, 3}).t();
  save_safetensors({{"t", turned}}, folder.file("a.safetensors"));
  EXPECT_TRUE(at::equal(load_safetensors(folder.file("a.safetensors")).tensors.at(0).second, turned));
}

TEST(Safetensors, WhatCannotBeWritten) {
  const ScratchFolder folder;
  const auto refused = [&](const NamedTensors& tensors, const std::string& name = "a.safetensors") {
    return message_of([&] { save_safetensors(tensors, folder.file(name)); });
  };
  const Tensor one = at::ones({1});
  EXPECT_EQ(refused({{"a", one}, {"a", one}}), "save_safetensors: tensor 'a': must be there once");
  EXPECT_EQ(refused({{"__metadata__", one}}),
            "save_safetensors: tensor '__metadata__': is a name that the format keeps for itself");
  EXPECT_EQ(refused({{"a", {}}}), "save_safetensors: tensor 'a': must have values, is empty");
  EXPECT_EQ(
      refused({{"a", at::ones({1}, at::kComplexFloat)}}),
      "save_safetensors: tensor 'a': its type must be one of I64, F64, F32, I32, BF16, F16, I16, I8, U8, BOOL, is "
      "ComplexFloat");
  EXPECT_NE(refused({{"\xff", one}}).find("must be UTF-8"), std::string::npos);
  EXPECT_NE(message_of<DataError>([&] { save_safetensors({}, folder.file("no/a")); }).find("does not exist"),
            std::string::npos);
  EXPECT_EQ(folder.content(), "");
}

}  // namespace
}  // namespace tandem::saving
