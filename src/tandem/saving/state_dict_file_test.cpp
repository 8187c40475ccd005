// State dicts that PyTorch in Python wrote, into LibTorch modules and back (tests/fixtures/safetensors_cases.py).
#include "tandem/saving/state_dict_file.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <gtest/gtest.h>
#include <torch/nn.h>

#include "tandem/core/error.h"
#include "tandem/layers/dense.h"
#include "tandem/layers/input.h"
#include "tandem/layers/torch_module.h"
#include "tandem/network/chain.h"
#include "tandem/saving/keras_networks_test.h"
#include "tandem/saving/safetensors.h"
#include "tandem/saving/weights_file.h"
#include "tandem/testing/captured_log.h"
#include "tandem/testing/closeness.h"
#include "tandem/testing/message_of.h"
#include "tandem/testing/npy.h"

namespace tandem::saving {
namespace {

using testing::fixture;
using testing::load_npy;
using testing::message_of;

// The module of safetensors_cases.py.
torch::nn::Sequential conv_module() {
  torch::nn::Sequential net;
  net->push_back("conv", torch::nn::Conv2d(torch::nn::Conv2dOptions(2, 4, 3).padding(1)));
  net->push_back("bn", torch::nn::BatchNorm2d(4));
  net->push_back("relu", torch::nn::ReLU());
  net->push_back("pool", torch::nn::AdaptiveAvgPool2d(torch::nn::AdaptiveAvgPool2dOptions({1, 1})));
  net->push_back("flat", torch::nn::Flatten());
  net->push_back("fc", torch::nn::Linear(4, 3));
  return net;
}

struct StateDictFile : public ::testing::Test {
  StateDictFile() {
    chain->set_name("whole");
    chain->add(layers::Input({5, 6, 2}));
    chain->add(module);
  }

  ScratchFolder folder;
  torch::nn::Sequential net = conv_module();
  layers::TorchModule module{net, {.layout = "channels_first", .name = "body"}};
  std::shared_ptr<Chain> chain = std::make_shared<Chain>();
  std::string file = fixture("safetensors/module.safetensors");

  void expect_pytorchs_outputs() {
    const c10::NoGradGuard inference;
    EXPECT_EQ(testing::difference(output_of(*chain, load_npy(fixture("safetensors/module_x.npy"))),
                                  load_npy(fixture("safetensors/module_output.npy")), 1e-5),
              "");
    EXPECT_EQ(net->named_buffers()["bn.num_batches_tracked"].item<int64_t>(), 3);
  }
};

TEST_F(StateDictFile, OfPythonGivesPyTorchsOutputs) {
  const auto report = load_state_dict(module, file);
  EXPECT_EQ(report.to_string(), "loaded 9");
  expect_pytorchs_outputs();
}

TEST_F(StateDictFile, IsWrittenAsPythonWritesIt) {
  load_state_dict(module, file);
  save_state_dict(module, folder.file("a.safetensors"));
  EXPECT_TRUE(read_bytes(folder.file("a.safetensors")) == read_bytes(file));
}

TEST_F(StateDictFile, LoadsAsWeightsOfTheModel) {
  EXPECT_TRUE(load_weights(*chain, file).complete());
  expect_pytorchs_outputs();
  save_weights(*chain, folder.file("a.safetensors"));
  const auto again = load_safetensors(folder.file("a.safetensors"));
  EXPECT_EQ(again.tensors.front().first, "whole/body/bn.num_batches_tracked");
}

TEST_F(StateDictFile, NamesOfDataParallelAndOfOtherModules) {
  auto tensors = load_safetensors(file).tensors;
  for (auto& [name, tensor] : tensors) name = "module." + name;
  save_safetensors(tensors, folder.file("a.safetensors"));
  EXPECT_NE(message_of<DataError>([&] {
              load_state_dict(module, folder.file("a.safetensors"));
            }).find("nothing in it fits layer 'body'"),
            std::string::npos);
  EXPECT_TRUE(load_state_dict(module, folder.file("a.safetensors"), {.rename = {{"module.", ""}}}).complete());
  expect_pytorchs_outputs();
}

TEST_F(StateDictFile, WhatDoesNotFit) {
  auto tensors = load_safetensors(file).tensors;
  const auto with = [&](const std::string& name, const Tensor& value) {
    auto changed = tensors;
    for (auto& [key, tensor] : changed) {
      if (key == name) tensor = value;
    }
    save_safetensors(changed, folder.file("a.safetensors"));
    const auto message = message_of<DataError>([&] { load_state_dict(module, folder.file("a.safetensors")); });
    return message.substr(message.find(": tensor") + 2);
  };
  EXPECT_EQ(with("fc.weight", at::ones({4, 3})), R"(tensor "fc.weight": must have shape (3, 4), has (4, 3))");
  EXPECT_EQ(with("bn.num_batches_tracked", at::scalar_tensor(3.5)),
            R"(tensor "bn.num_batches_tracked": must be whole numbers, is Float)");
  EXPECT_NE(net->named_buffers()["bn.num_batches_tracked"].item<int64_t>(), 3) << "nothing may have changed";
  // Before PyTorch 0.4.1 batch norm did not count its batches.
  std::erase_if(tensors, [](const auto& named) { return named.first == "bn.num_batches_tracked"; });
  save_safetensors(tensors, folder.file("a.safetensors"));
  const testing::CapturedLog log;
  EXPECT_EQ(load_state_dict(module, folder.file("a.safetensors"), {.by_name = true}).to_string(),
            "loaded 8, missing 1: bn.num_batches_tracked");
  EXPECT_EQ(log.warnings().size(), 1U);
}

TEST_F(StateDictFile, OtherLayersAndModulesThatAreNotBuilt) {
  const layers::Dense dense(2, {.name = "dense"});
  EXPECT_EQ(message_of([&] { save_state_dict(dense, folder.file("a.safetensors")); }),
            "save_state_dict: layer 'dense' must be a TorchModule, is a Dense; save_weights and load_weights serve "
            "models");
  const layers::TorchModule loose(conv_module(), {.name = "loose"});
  EXPECT_EQ(message_of([&] { load_state_dict(loose, file); }),
            "load_state_dict: layer 'loose' must be built first: make it part of a model with an input shape, or call "
            "it");
}

}  // namespace
}  // namespace tandem::saving
