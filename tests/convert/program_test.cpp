// A program that `tandem convert` wrote, compiled and run as a user does it, and what the command refuses.
#include <gtest/gtest.h>

#include <cstdlib>

#include "tandem/testing/closeness.h"
#include "tandem/testing/npy.h"
#include "tandem/testing/temporary_folder.h"

namespace tandem::testing {
namespace {

class ConvertedProgram : public ::testing::Test {
 protected:
  // Runs a command line in the folder; its standard output goes to "out", its errors to "err".
  int run(const std::string& line) {
    const std::string whole = "cd '" + folder_.path().string() + "' && " + line + " >out 2>err";
    const int status = std::system(whole.c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  int convert(const std::string& from, const std::string& to) {
    return run(TANDEM_COMMAND " convert " + from + " " + to);
  }
  std::string out() const { return file_bytes(folder_.file("out")); }
  std::string err() const { return file_bytes(folder_.file("err")); }

  const std::string keras_ = fixture("keras/saving/functional/");
  TemporaryFolder folder_;
};

TEST_F(ConvertedProgram, ShowsTheSummaryOfTheFile) {
  ASSERT_EQ(run(TANDEM_PROGRAM), 0) << err();
  const std::string shown = out();
  ASSERT_EQ(run(TANDEM_COMMAND " summary " + keras_ + "model.keras"), 0) << err();
  EXPECT_EQ(shown, out());
}

TEST_F(ConvertedProgram, PredictsAsKerasWithWeightsOfEachKind) {
  for (const std::string weights : {"w.safetensors", "w.weights.h5", "w.keras", "w.h5"}) {
    ASSERT_EQ(convert(keras_ + "model.keras", weights), 0) << err();
    EXPECT_EQ(out(), "[INFO] wrote " + weights + "\n");
    ASSERT_EQ(run(TANDEM_PROGRAM " " + weights + " " + keras_ + "x.npy y.npy"), 0) << err();
    EXPECT_EQ(difference(load_npy(folder_.file("y.npy")), load_npy(keras_ + "output.npy"), 1e-5), "") << weights;
  }
}

TEST_F(ConvertedProgram, SaysWhatIsWrong) {
  EXPECT_EQ(run(TANDEM_PROGRAM " a b"), 2);
  EXPECT_NE(err().find("usage: "), std::string::npos);
  EXPECT_EQ(run(TANDEM_PROGRAM " none.safetensors"), 1);
  EXPECT_EQ(err(), "none.safetensors: cannot be read: No such file or directory\n");
}

TEST_F(ConvertedProgram, WhatTheCommandRefuses) {
  EXPECT_EQ(convert(keras_ + "model.keras", "out.onnx"), 2);
  EXPECT_EQ(err(),
            "tandem: OUT: the file name must end in .keras, .h5, .weights.h5, .safetensors or .cpp, got 'out.onnx'\n");
  EXPECT_EQ(convert(keras_ + "model.keras", "no/out.cpp"), 5);
  EXPECT_EQ(err(), "tandem: no/out.cpp: the folder 'no' does not exist\n");
  EXPECT_EQ(convert("none.keras", "out.cpp"), 3);
  EXPECT_EQ(convert(keras_ + "keras2.h5", "out.cpp"), 3);
  EXPECT_NE(err().find("holds weights only"), std::string::npos) << err();
}

TEST_F(ConvertedProgram, ModelsOfTheZooAndWeightsToLoadFirst) {
  ASSERT_EQ(convert("mlp", "a.safetensors"), 0) << err();
  ASSERT_EQ(convert("mlp", "b.safetensors --weights a.safetensors"), 0) << err();
  EXPECT_EQ(file_bytes(folder_.file("a.safetensors")), file_bytes(folder_.file("b.safetensors")));
  ASSERT_EQ(convert("mlp", "mlp.cpp --classes 7"), 0) << err();
  EXPECT_NE(file_bytes(folder_.file("mlp.cpp")).find("Dense(7, {.activation = \"softmax\""), std::string::npos);
}

TEST_F(ConvertedProgram, WritesTheSameBytesEveryTime) {
  for (const std::string name : {"a.safetensors", "a.weights.h5", "a.keras", "a.h5", "a.cpp"}) {
    ASSERT_EQ(convert(keras_ + "model.keras", name), 0) << err();
    const std::string first = file_bytes(folder_.file(name));
    ASSERT_EQ(convert(keras_ + "model.keras", name), 0) << err();
    EXPECT_TRUE(file_bytes(folder_.file(name)) == first) << name;
  }
}

}  // namespace
}  // namespace tandem::testing
