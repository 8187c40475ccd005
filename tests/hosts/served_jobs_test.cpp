// Jobs of `tandem train` whose processes have roles by TF_CONFIG: parameter servers and workers.
#include <gtest/gtest.h>

#include <csignal>
#include <regex>

#include "served_job.h"

namespace tandem::testing {
namespace {

std::vector<std::string> cnn(std::vector<std::string> more) {
  std::vector<std::string> flags{"cnn", "--seed", "3", "--strategy", "parameter-server"};
  flags.insert(flags.end(), more.begin(), more.end());
  return flags;
}

TEST(ServedJobs, InSyncGivesTheDigestOfOneProcess) {
  const std::vector<std::string> how{"--epochs", "1", "--steps", "6", "--batch-size", "17", "--fixed-order", "4"};
  const ServedJob job(2, 2, cnn(how));
  const auto ps0 = job.start("ps", 0), ps1 = job.start("ps", 1), chief = job.start("worker", 0),
             other = job.start("worker", 1);
  for (auto* program : {chief.get(), other.get(), ps0.get(), ps1.get()})
    EXPECT_EQ(program->wait(), 0) << program->output();  // U53: the servers, too
  std::vector<std::string> alone{kTandem, "train", "cnn", "--seed", "3"};
  alone.insert(alone.end(), how.begin(), how.end());
  Program one(alone);
  ASSERT_EQ(one.wait(), 0) << one.output();
  EXPECT_EQ(line_with(*chief, "SHA-256"), line_with(one, "SHA-256"));
  EXPECT_EQ(line_with(*ps1, "6 updates by 24 gradients"),
            "6 updates by 24 gradients (0 held, 0 dropped); staleness mean 0, max 0, gradients by staleness 0: 24");
}

// The number behind `part`.
double number_after(const Program& program, const std::string& part) {
  const auto text = program.output();
  const auto found = text.find(part);
  if (found == std::string::npos) throw std::runtime_error("no " + part + " in: " + text);
  return std::stod(text.substr(found + part.size()));
}

TEST(ServedJobs, ATableOfTenMillionRowsMovesByItsTouchedRows) {
  constexpr double kSteps = 10, kBatch = 64, kProgram = 250e6;  // what LibTorch needs, in bytes
  for (const auto& [mode, rows] : {std::pair<std::string, std::string>{"sync", "10000000"}, {"async", "1000000"}}) {
    const double table = std::stod(rows) * 8 * 4;  // 320 MB
    const ServedJob job(2, 2, {});
    const std::vector<std::string> words{SERVED_TABLE, mode, rows};
    const auto ps0 = job.start_program("ps", 0, words), ps1 = job.start_program("ps", 1, words),
               chief = job.start_program("worker", 0, words), other = job.start_program("worker", 1, words);
    for (auto* program : {chief.get(), other.get(), ps0.get(), ps1.get()})
      ASSERT_EQ(program->wait(), 0) << program->output();
    double sent = 0;
    for (auto* worker : {chief.get(), other.get()}) {
      sent += number_after(*worker, "sent ");
      if (mode == "sync") {
        EXPECT_LT(number_after(*worker, "distance from the formula "), 1e-5) << worker->output();
      }
      EXPECT_LT(number_after(*worker, "memory at most") * 1024, kProgram + 2 * table) << worker->output();
    }
    // Ids for the rows, ids and gradients behind: 48 rows of each batch differ, fewer than both workers' shares have.
    EXPECT_GE(sent, kSteps * 48 * (4 + 4 + 32));
    EXPECT_LE(sent, kSteps * (kBatch * (4 + 4 + 32) + 2 * 2000));  // and sums beside the gradients
    // Half of the table each, and as much while it comes.
    for (auto* server : {ps0.get(), ps1.get()})
      EXPECT_LT(number_after(*server, "memory at most") * 1024, kProgram + 2 * table) << server->output();
  }
}

TEST(ServedJobs, InStaleWorkersShareTheRowsWithinTheBound) {
  const std::vector<std::string> how{"--epochs",      "2",     "--batch-size", "16", "--verbose", "2",
                                     "--server-mode", "stale", "--staleness",  "1"};
  const ServedJob job(1, 3, cnn(how));
  const auto ps = job.start("ps");
  std::vector<std::unique_ptr<Program>> workers;
  for (int i = 0; i < 3; ++i) workers.push_back(job.start("worker", i));
  for (auto& worker : workers) EXPECT_EQ(worker->wait(), 0) << worker->output();
  EXPECT_EQ(ps->wait(), 0) << ps->output();
  EXPECT_NE(line_with(*workers[0], " - val_accuracy: ").find("val_loss"), std::string::npos);
  EXPECT_EQ(workers[1]->output().find("val_loss"), std::string::npos) << "one prints";
  // How many of an epoch's batches it made differs from epoch to epoch, and is no part of the last epoch's.
  const std::regex steps(R"(\n *(\d+)/(\d+) - )");
  const auto printed = workers[0]->output();
  int64_t epochs = 0;
  for (std::sregex_iterator line(printed.begin(), printed.end(), steps), end; line != end; ++line, ++epochs)
    EXPECT_EQ((*line)[1], (*line)[2]) << printed;
  EXPECT_EQ(epochs, 2) << printed;
  EXPECT_NE(ps->output().find(" updates by "), std::string::npos) << ps->output();
  EXPECT_EQ(ps->output().find(" 2: "), std::string::npos) << ps->output();
}

TEST(ServedJobs, InAsyncTheRowsOfAKilledWorkerAreMadeByTheOthers) {  // U54
  const std::vector<std::string> how{"--epochs", "4", "--batch-size", "16", "--verbose", "2", "--server-mode", "async"};
  const ServedJob job(1, 2, cnn(how));
  const auto ps = job.start("ps"), chief = job.start("worker", 0), other = job.start("worker", 1);
  chief->await_output("Epoch 2/4");
  other->send(SIGKILL);
  EXPECT_EQ(chief->wait(), 0) << chief->output();
  EXPECT_NE(chief->output().find("Epoch 4/4"), std::string::npos);
  ps->send(SIGTERM);  // it would wait for the lost one
  EXPECT_EQ(ps->wait(), 128 + SIGTERM) << ps->output();
}

TEST(ServedJobs, WithABackupWorkerTheOthersGoOnWithoutAKilledOneInSync) {
  const std::vector<std::string> how{"--epochs", "4", "--batch-size", "32", "--verbose", "1", "--backup-workers", "1"};
  const ServedJob job(2, 3, cnn(how));
  const auto ps0 = job.start("ps", 0), ps1 = job.start("ps", 1), chief = job.start("worker", 0),
             other = job.start("worker", 1), killed = job.start("worker", 2);
  chief->await_output("Epoch 2/4");
  killed->send(SIGKILL);
  for (auto* worker : {chief.get(), other.get()}) EXPECT_EQ(worker->wait(), 0) << worker->output();
  EXPECT_NE(chief->output().find("batches of 32, in 2 parts, go to whoever is free"), std::string::npos)
      << chief->output();
  EXPECT_NE(chief->output().find(" rows came too late and were dropped"), std::string::npos) << chief->output();
  for (auto* ps : {ps0.get(), ps1.get()}) {
    ps->send(SIGTERM);  // it would wait for the lost one
    EXPECT_EQ(ps->wait(), 128 + SIGTERM) << ps->output();
    EXPECT_EQ(ps->output().find(" (0 held, 0 dropped)"), std::string::npos) << ps->output();
  }
}

TEST(ServedJobs, AKilledServerIsNamedByEveryWorker) {
  for (const std::string mode : {"sync", "async"}) {
    const std::vector<std::string> how{"--epochs",  "1000", "--batch-size",  "16",
                                       "--verbose", "2",    "--server-mode", mode};
    const ServedJob job(2, 2, cnn(how));
    const auto ps0 = job.start("ps", 0), ps1 = job.start("ps", 1), chief = job.start("worker", 0),
               other = job.start("worker", 1);
    chief->await_output("Epoch 2/1000");
    ps1->send(SIGKILL);
    for (auto* worker : {chief.get(), other.get()}) {
      EXPECT_EQ(worker->wait(), 4) << mode << ": " << worker->output();
      EXPECT_NE(worker->output().find("server 1 of 2 (127.0.0.1:"), std::string::npos) << mode << worker->output();
    }
    EXPECT_EQ(ps0->wait(), 4) << mode << ": " << ps0->output();
  }
}

TEST(ServedJobs, InAsyncATrainingBesideAServerThatSurvivedTrains) {
  const TemporaryFolder folder;
  const ServedJob job(2, 2, cnn({"--batch-size", "16", "--verbose", "2", "--server-mode", "async"}));
  const auto serve = [&](int index) {
    return job.start_program(
        "ps", index,
        {kTandem, "serve-parameters", "--gone", "30", "--save", folder.file("saved"), "--save-every", "20"});
  };
  const auto ps0 = serve(0);
  auto ps1 = serve(1);
  {
    const auto chief = job.start("worker", 0, {"--epochs", "1000"}),
               other = job.start("worker", 1, {"--epochs", "1000"});
    chief->await_output("Epoch 3/1000");
    ps1->send(SIGKILL);
    for (auto* worker : {chief.get(), other.get()}) EXPECT_EQ(worker->wait(), 4) << worker->output();
  }
  ps1 = serve(1);
  const auto chief = job.start("worker", 0, {"--epochs", "2"}), other = job.start("worker", 1, {"--epochs", "2"});
  for (auto* program : {chief.get(), other.get(), ps0.get(), ps1.get()})
    EXPECT_EQ(program->wait(), 0) << program->output();
  EXPECT_NE(chief->output().find("the servers go on from update "), std::string::npos) << chief->output();
  EXPECT_NE(chief->output().find("Epoch 2/2"), std::string::npos) << chief->output();
  EXPECT_EQ(chief->output().find(" 0/0 - "), std::string::npos) << chief->output();
}

}  // namespace
}  // namespace tandem::testing
