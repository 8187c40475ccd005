// Jobs of `tandem train` with a process whose role is evaluator.
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "../cli/made_up_images.h"
#include "served_job.h"
#include "tandem/core/config.h"
#include "tandem/testing/temporary_folder.h"

namespace tandem::testing {
namespace {

std::string text_of(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

constexpr int64_t kBatches = 6;

class EvaluatorJob : public ::testing::Test {
 protected:
  std::string file(const std::string& name) const { return folder_.file(name); }
  // A model with moving averages; worker 0 and the evaluator write files.
  std::vector<std::string> flags(const std::string& mode, const std::string& epochs) const {
    MadeUpImages{.train = kBatches * 8, .test = 24}.write(folder_.path());
    return {"minigooglenet",
            "--data",
            "cifar10:" + std::string(folder_.path()),
            "--seed",
            "3",
            "--strategy",
            "parameter-server",
            "--batch-size",
            "8",
            "--verbose",
            "2",
            "--epochs",
            epochs,
            "--server-mode",
            mode,
            "--save",
            file("m.keras"),
            "--history",
            file("h.json")};
  }
  // What tandem evaluate finds of a model in a file.
  Config evaluated(const std::string& name) const {
    Program program({kTandem, "evaluate", file(name), "--json", "--data", "cifar10:" + std::string(folder_.path())});
    EXPECT_EQ(program.wait(), 0) << program.output();
    return Config::from_json(program.output());
  }
  Config history(const std::string& name) const { return Config::from_json(text_of(file(name))); }
  static std::vector<double> series(const Config& history, const std::string& name) {
    std::vector<double> values;
    for (const auto& value : history.at(name).as_list()) values.push_back(value.as_double());
    return values;
  }

  TemporaryFolder folder_;
};

TEST_F(EvaluatorJob, FindsWhatTheSavedModelsGive) {
  for (const std::string mode : {"sync", "async"}) {
    SCOPED_TRACE(mode);
    const ServedJob job(2, 2, flags(mode, "2"));
    const auto evaluator = job.start("evaluator", 0, {"--evaluate-every", "4"});
    const auto others = job.start_all();
    expect_success(others);
    ASSERT_EQ(evaluator->wait(), 0) << evaluator->output();
    const auto found = history("h-evaluator.json");
    const auto losses = series(found, "val_loss"), accuracies = series(found, "val_accuracy"),
               updates = series(found, "update");
    // The last ones are those of what the workers leave behind, moving averages among it.
    const auto last = evaluated("m.keras");
    EXPECT_NEAR(losses.back(), last.at("loss").as_double(), 1e-5);
    EXPECT_NEAR(accuracies.back(), last.at("accuracy").as_double(), 1e-6);
    EXPECT_NEAR(losses.back(), series(history("h.json"), "val_loss").back(), 1e-5);
    EXPECT_EQ(updates.back(), 2 * kBatches);
    EXPECT_GE(updates.front(), 4);
    EXPECT_NEAR(evaluated("m-evaluator.keras").at("loss").as_double(), *std::min_element(losses.begin(), losses.end()),
                1e-5);
    EXPECT_NE(evaluator->output().find("evaluator: update 12: "), std::string::npos) << evaluator->output();
    EXPECT_EQ(evaluator->output().find("staleness"), std::string::npos);
  }
}

TEST_F(EvaluatorJob, MayComeLateAndBeKilled) {
  const ServedJob job(1, 2, flags("async", "12"));
  const auto others = job.start_all();
  others[1]->await_output("Epoch 2/12");
  const auto killed = job.start("evaluator"), late = job.start("evaluator");
  killed->await_output("evaluator: update ");
  killed->send(SIGKILL);
  expect_success(others);
  EXPECT_EQ(late->wait(), 0) << late->output();
  EXPECT_NE(late->output().find("evaluator: update 72: "), std::string::npos) << late->output();
}

TEST_F(EvaluatorJob, EndsWhenTheServersAreLostAndKeepsWhatItFound) {
  const ServedJob job(1, 1, flags("async", "1000"));
  const auto others = job.start_all();
  const auto evaluator = job.start("evaluator");
  evaluator->await_output("evaluator: update ");
  others[0]->send(SIGKILL);
  EXPECT_EQ(evaluator->wait(), 4) << evaluator->output();
  EXPECT_NE(evaluator->output().find("server 0 of 1 (127.0.0.1:"), std::string::npos) << evaluator->output();
  EXPECT_GE(series(history("h-evaluator.json"), "val_loss").size(), 1U);
  EXPECT_TRUE(std::filesystem::exists(file("m-evaluator.keras")));
  EXPECT_EQ(others[1]->wait(), 4);
}

TEST_F(EvaluatorJob, IsRefusedWhereItHasNothingToDo) {
  const auto said = [&](const std::vector<std::string>& flags, int status) {
    const ServedJob job(1, 1, flags);
    const auto program = job.start("evaluator");
    EXPECT_EQ(program->wait(), status) << program->output();
    return program->output();
  };
  EXPECT_EQ(
      said({"cnn"}, 2),
      "tandem: this process is an evaluator of its job: it evaluates what parameter servers have, with --strategy "
      "parameter-server, and nothing without\n");
  const auto rows = file("rows.csv");
  std::ofstream(rows) << "1,2,0\n3,4,1\n";
  EXPECT_NE(said({"mlp", "--data", "csv:" + rows, "--strategy", "parameter-server"}, 2).find("tandem: "),
            std::string::npos);
  // A job without servers.
  Program alone(
      {kTandem, "train", "cnn", "--strategy", "parameter-server"},
      {{"TF_CONFIG", R"({"cluster": {"worker": ["127.0.0.1:1"]}, "task": {"type": "evaluator", "index": 0}})"}});
  EXPECT_EQ(alone.wait(), 2);
  EXPECT_NE(
      alone.output().find("tandem: evaluator: the job must have parameter servers, whose parameters it evaluates; "
                          "got none\n"),
      std::string::npos)
      << alone.output();
}

}  // namespace
}  // namespace tandem::testing
