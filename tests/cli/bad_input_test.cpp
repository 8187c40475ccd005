// Arguments that cannot work: one line that says what must hold, exit status 2.
#include <c10/util/StringUtil.h>
#include <gtest/gtest.h>

#include "run_tandem.h"
#include "tandem/zoo/catalog.h"

namespace tandem::testing {
namespace {

void expect_train_refused(Arguments flags, const std::string& line) {
  flags.insert(flags.begin(), {"train", "minigooglenet"});
  expect_refused(flags, 2, line);
}

TEST(BadInput, UnknownCommand) {
  expect_refused({"trian", "minigooglenet"}, 2, "command 'trian' is not known; did you mean 'train'?");
  expect_refused({"bench", "trian"}, 2, "command 'trian' is not known; did you mean 'train'?");
  expect_refused({"qqqqq"}, 2,
                 "command 'qqqqq' is not known; known: 'train', 'evaluate', 'predict', 'summary', 'convert', 'bench', "
                 "'info', 'launch', 'serve-parameters'");
}

TEST(BadInput, MissingCommandOrModel) {
  expect_refused({}, 2,
                 "a command must follow 'tandem': train, evaluate, predict, summary, convert, bench, info, launch, "
                 "serve-parameters; see 'tandem --help'");
  expect_refused({"bench"}, 2, "a command must follow 'tandem bench': train; see 'tandem bench --help'");
  expect_refused({"train"}, 2, "MODEL is required; see 'tandem train --help'");
}

TEST(BadInput, UnknownModel) {
  const std::string line = "model 'minigooglnet' is not known; did you mean 'minigooglenet'?";
  expect_refused({"train", "minigooglnet"}, 2, line);
  expect_refused({"summary", "minigooglnet"}, 2, line);
  expect_refused({"bench", "train", "minigooglnet"}, 2, line);
}

TEST(BadInput, ModelFile) {
  for (const char* file : {"model.keras", "model.h5", "./model"}) {
    const std::string name = file;
    expect_refused({"bench", "train", name}, 2,
                   c10::str("MODEL must be a model of the zoo (", c10::Join(", ", zoo::names()),
                            "), this command takes no model file yet; got '", name, "'"));
    expect_refused({"train", name}, 3, name + ": no such file");
    expect_refused({"summary", name}, 3, name + ": no such file");
  }
  expect_refused({"summary", "model.onnx"}, 2, "MODEL: only .keras and .h5 files can be read yet; got 'model.onnx'");
}

TEST(BadInput, ValuesThatAreEmpty) {
  expect_train_refused({"--save", ""}, "--save: must not be empty");
  expect_train_refused({"--key", ""}, "--key: must not be empty");
  expect_refused({"serve-parameters", "--address", "127.0.0.1:0", "--save", ""}, 2, "--save: must not be empty");
  expect_refused({"bench", "train", "mlp", "--precision", ""}, 2, "--precision: must not be empty");
}

TEST(BadInput, UnknownOption) {
  expect_train_refused({"--bach-size", "3"}, "--bach-size is not known; did you mean '--batch-size'?");
  expect_train_refused({"--bach-size=3"}, "--bach-size is not known; did you mean '--batch-size'?");
  expect_train_refused({"--learn", "3"}, "--learn is not known; did you mean '--learning-rate'?");
  expect_train_refused({"--qqqqqqq"}, "--qqqqqqq is not known; see 'tandem train --help'");
  expect_train_refused({"-q"}, "-q is not known; see 'tandem train --help'");
  expect_refused({"train", "--bach-size", "3"}, 2, "--bach-size is not known; did you mean '--batch-size'?");
  expect_refused({"--verion"}, 2, "--verion is not known; did you mean '--version'?");
}

TEST(BadInput, ArgumentsTooManyOrTooFew) {
  expect_train_refused({"extra"}, "'extra' was not expected; see 'tandem train --help'");
  expect_train_refused({"--epochs"}, "--epochs: a value must follow");
  expect_train_refused({"--epochs", "1", "--epochs", "2"}, "--epochs: may be given only once");
  expect_train_refused({"--gpus", "1", "--devices", "cpu:0"}, "--devices excludes --gpus");
}

TEST(BadInput, CountsBelowOne) {
  const auto expect_count = [](const std::string& flag, const std::string& text) {
    expect_train_refused({flag, text}, flag + ": must be a whole number of at least 1, got '" + text + "'");
  };
  for (const char* flag : {"--batch-size", "--epochs", "--steps", "--gpus", "--threads-per-device"})
    expect_count(flag, "0");
  for (const char* text : {"-3", "1.5", "99999999999999999999"}) expect_count("--batch-size", text);
}

TEST(BadInput, LearningRateAndMomentum) {
  for (const char* text : {"-0.1", "nan", "inf", "fast"}) {
    expect_train_refused({"--learning-rate", text},
                         std::string("--learning-rate: must be a finite number of at least 0, got '") + text + "'");
  }
  expect_train_refused({"--momentum", "1.5"}, "--momentum: must be a finite number from 0 to 1, got '1.5'");
  expect_train_refused({"--optimizer", "adam", "--momentum", "0.9"}, "--momentum: Adam has no momentum");
}

TEST(BadInput, UnknownNamesProposeTheNearest) {
  expect_train_refused({"--optimizer", "sdg"}, "optimizer 'sdg' is not known; did you mean 'sgd', 'SGD'?");
  expect_train_refused({"--schedule", "polynomal"}, "schedule 'polynomal' is not known; did you mean 'polynomial'?");
  expect_train_refused({"--loss", "categorical_crosentropy"},
                       "loss 'categorical_crosentropy' is not known; did you mean 'categorical_crossentropy', "
                       "'CategoricalCrossentropy', 'CategoricalFocalCrossentropy'?");
  expect_train_refused({"--metrics", "acuracy"}, "metric 'acuracy' is not known; did you mean 'accuracy', 'Accuracy'?");
  expect_train_refused({"--strategy", "mirored"}, "strategy 'mirored' is not known; did you mean 'mirrored'?");
  expect_train_refused({"--data", "digts"}, "data set 'digts' is not known; did you mean 'digits'?");
  expect_refused({"bench", "train", "minigooglenet", "--precision", "float16"}, 2,
                 "precision 'float16' is not known; did you mean 'float32'?");
}

TEST(BadInput, DevicesThatAreNotThere) {
  expect_train_refused({"--devices", "gpu:0"}, "devices gpu:0: 1 GPU requested, 0 visible");
  expect_train_refused({"--gpus", "2"}, "devices gpu:0,gpu:1: 2 GPUs requested, 0 visible");
  expect_refused({"bench", "train", "minigooglenet", "--gpus", "2"}, 2,
                 "devices gpu:0,gpu:1: 2 GPUs requested, 0 visible");
}

TEST(BadInput, DevicesNamedTwice) {
  expect_train_refused({"--devices", "cpu:0,cpu:0"}, "devices cpu:0,cpu:0: cpu:0 is named 2 times, at most 1 allowed");
}

TEST(BadInput, StrategyForAnotherNumberOfDevices) {
  expect_train_refused({"--devices", "cpu*2", "--strategy", "single"},
                       "strategy single: must get one device, got cpu:0,cpu:1");
}

TEST(BadInput, Augmentation) {
  expect_train_refused({"--augment", "flp"}, "--augment 'flp' is not known; did you mean 'flip', 'vflip'?");
  expect_train_refused({"--augment", "shift=far"}, "--augment shift=far: must have a number after '=', got 'far'");
  expect_train_refused({"--augment", "shift"}, "--augment shift: must have a number after '=', got ''");
  expect_train_refused({"--augment", "none,flip"}, "--augment none,flip: none must stand alone");
  expect_train_refused({"--augment", "fill=reflect"}, "--augment: must name something, or none");
  expect_train_refused({"--augment", "shift=2"}, "RandomShift: the fraction must be at least 0 and below 1, got 2");
  expect_train_refused({"--augment", "rotation=-5"}, "RandomRotation: degrees must be a number of at least 0, got -5");
  expect_train_refused({"--augment", "zoom=0.5:x"},
                       "--augment zoom=0.5:x: must have two numbers as 0.8:1.2 after '=', got '0.5:x'");
  expect_train_refused({"--augment", "brightness=1.2"},
                       "--augment brightness=1.2: must have two numbers as 0.8:1.2 after '=', got '1.2'");
  expect_train_refused({"--augment", "crop=2.5"}, "--augment crop=2.5: must have a whole number after '=', got '2.5'");
  expect_train_refused({"--augment", "crop=32:"},
                       "--augment crop=32:: must have two whole numbers as 32:4 after '=', got '32:'");
  expect_train_refused({"--augment", "cutout=0"}, "Cutout: the size must be at least 1 pixel, got 0");
  expect_train_refused({"--augment", "vflip=1"}, "--augment 'vflip=1' is not known; did you mean 'vflip'?");
  expect_train_refused({"--augment", "flip,fill=reflct"}, "fill mode 'reflct' is not known; did you mean 'reflect'?");
}

TEST(BadInput, ValidationSplitThatLeavesNoRows) {
  expect_train_refused({"--validation-split", "0"},
                       "--validation-split: must leave rows on both sides, got 0 of 1438 rows");
  expect_train_refused({"--validation-split", "1"},
                       "--validation-split: must leave rows on both sides, got 1 of 1438 rows");
  expect_train_refused({"--validation-split", "2"}, "--validation-split: must be a finite number from 0 to 1, got '2'");
}

}  // namespace
}  // namespace tandem::testing
