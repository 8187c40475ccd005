// tandem train with layers divided over devices, or over processes: the numbers of one device.
#include <gtest/gtest.h>

#include "run_tandem.h"
#include "tandem/core/config.h"

namespace tandem::testing {
namespace {

const std::string kDividing = TANDEM_COMMAND;

class TensorTraining : public ::testing::Test {
 protected:
  // Two epochs, under `tandem launch -n processes`; alone where that is "".
  Ended train(const std::string& processes, const Arguments& more) const {
    Arguments arguments{"train", "mlp",          "--data", "digits", "--epochs", "2",         "--steps",
                        "3",     "--batch-size", "18",     "--seed", "3",        "--history", "h.json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    if (!processes.empty()) arguments.insert(arguments.begin(), {"launch", "-n", processes, "--", kDividing});
    return run_tandem(arguments, folder_.path());
  }
  std::vector<double> losses(const std::string& processes, const Arguments& more) const {
    const auto ended = train(processes, more);
    EXPECT_EQ(ended.status, 0) << ended.err;
    const auto history = Config::from_json(read_file(folder_.file("h.json")));
    std::vector<double> found;
    for (const char* name : {"loss", "val_loss"}) {
      for (const auto& value : history.at(name).as_list()) found.push_back(value.as_double());
    }
    return found;
  }

  TemporaryFolder folder_;
};

TEST_F(TensorTraining, GivesWhatOneDeviceGives) {
  const auto want = losses("", {"--devices", "cpu:0"});
  ASSERT_EQ(want.size(), 4U);
  const auto expect_as_one = [&](const std::string& processes, const Arguments& more) {
    const auto got = losses(processes, more);
    ASSERT_EQ(got.size(), want.size());
    for (std::size_t i = 0; i < want.size(); ++i)
      EXPECT_NEAR(got[i], want[i], 1e-4) << processes << " " << more.back() << ", number " << i;
  };
  expect_as_one("", {"--strategy", "tensor", "--devices", "cpu*2"});
  expect_as_one("", {"--devices", "cpu*4", "--mesh", "data=2,tensor=2"});
  expect_as_one("2", {"--strategy", "tensor"});
  expect_as_one("4", {"--mesh", "data=2,tensor=2"});
}

TEST_F(TensorTraining, SaysWhatIsSplit) {
  const auto ended = train("", {"--strategy", "tensor", "--devices", "cpu*2"});
  ASSERT_EQ(ended.status, 0) << ended.err;
  for (const char* part : {"over 2 devices, ", " % of its parameters on the first:", "(Dense)  by units"})
    EXPECT_NE(ended.out.find(part), std::string::npos) << part << " in: " << ended.out;
}

TEST_F(TensorTraining, BadInput) {
  const Arguments begin{"train", "mlp", "--data", "digits", "--devices", "cpu*4"};
  const auto refused = [&](const Arguments& more, const std::string& line) {
    auto arguments = begin;
    arguments.insert(arguments.end(), more.begin(), more.end());
    expect_refused(arguments, 2, line);
  };
  for (const char* mesh : {"data=2,width=2", "data", "data=2,data=2", "data=x", "data=2,", "data=0", "pipe=1000000"}) {
    refused({"--mesh", mesh},
            "--mesh: must be axes and sizes from 1 to 999999, as in data=2,pipe=1,tensor=2, each once, got '" +
                std::string(mesh) + "'");
  }
  refused({"--mesh", "data=3"}, "Mesh: data 3 x pipe 1 x tensor 1 must be the number of devices, got 4");
  refused({"--mesh", "data=4", "--strategy", "tensor"}, "--mesh must not be given together with --strategy tensor");
  refused({"--strategy", "tensor", "--shares", "1,2,3,4"},
          "strategy tensor: shares, fixed_order, all_reduce and average_every must not be set");
}

}  // namespace
}  // namespace tandem::testing
