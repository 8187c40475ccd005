// Under mpirun: ranks that meet by MPI, and all exchanges by it.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <csignal>

#include "host_pair.h"
#include "program.h"
#include "tandem/cluster/free_port.h"

namespace tandem::testing {
namespace {

const std::string kOwnMpi = OWN_MPI;

// Root must insist, twice. Containers often forbid to read another process's memory, of which Open MPI complains.
const Program::Variables kSettings{{"OMPI_ALLOW_RUN_AS_ROOT", "1"},
                                   {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"},
                                   {"OMPI_MCA_btl_vader_single_copy_mechanism", "none"}};

Program mpirun(const std::string& n, const std::vector<std::string>& program) {
  std::vector<std::string> words{"mpirun", "-n", n, "--oversubscribe", "--bind-to", "none"};
  words.insert(words.end(), program.begin(), program.end());
  return Program(words, kSettings);
}

void expect_output(Program& job, int status, const std::string& text) {
  EXPECT_EQ(job.wait() == 0, status == 0) << job.output();
  EXPECT_NE(job.output().find(text), std::string::npos) << job.output();
}

TEST(Mpi, Ddp) {
  auto job = mpirun("2", {kDdp});
  EXPECT_EQ(job.wait(), 0) << job.output();
  EXPECT_EQ(job.output(), "ddp: ok\n");  // nor does mpirun complain of a process that did not end MPI
}

TEST(Mpi, MeetsAgain) {
  auto job = mpirun("2", {kExchange, "groups=3"});
  expect_output(job, 0, "exchange: ok");
}

TEST(Mpi, AnAddressThatWasGivenCounts) {
  auto job =
      mpirun("2", {"env", "MASTER_ADDR=127.0.0.1", "MASTER_PORT=" + std::to_string(cluster::free_port()), kExchange});
  expect_output(job, 0, "exchange: ok");
}

TEST(Mpi, CollectivesAreThoseOfGloo) {
  for (const std::string backend : {"gloo", "mpi"}) {
    for (const std::string n : {"2", "3"}) {
      auto job = mpirun(n, {kCollectives, backend});
      expect_output(job, 0, "rank 1: collectives: ok");
    }
  }
}

TEST(Mpi, AProgramThatSpeaksMpiItselfIsRespected) {
  for (const std::string threads : {"single", "serialized", "multiple"}) {
    for (const std::string backend : {"gloo", "mpi"}) {
      const bool may = backend == "gloo" || threads != "single";
      auto job = mpirun("2", {kOwnMpi, threads, backend});
      expect_output(job, may ? 0 : 1,
                    may ? "own mpi: ok"
                        : "mpi: the program began MPI for one thread; backend 'mpi' needs MPI_Init_thread with "
                          "MPI_THREAD_SERIALIZED");
    }
  }
}

TEST(Mpi, AStoppedRankIsNamed) {
  const TemporaryFolder folder;
  auto job = mpirun("3", {"sh", "-c",
                          "echo $$ >" + folder.file("pid") + "$OMPI_COMM_WORLD_RANK; exec " + kExchange +
                              " backend=mpi limit=5 steps=1000000 pause=0.01"});
  for (const char* rank : {"rank 0: step 3\n", "rank 1: step 3\n", "rank 2: step 3\n"}) job.await_output(rank);
  ASSERT_EQ(::kill(static_cast<pid_t>(std::stol(file_bytes(folder.file("pid1")))), SIGSTOP), 0);
  expect_output(job, 4, ": all_reduce: rank 1 is lost or late: ");
}

TEST(Mpi, ARankThatDoesNotComeEndsTheWait) {
  auto job =
      mpirun("2", {"sh", "-c", "test $OMPI_COMM_WORLD_RANK = 1 && exec sleep 60; exec " + kExchange + " limit=1"});
  expect_output(job, 4, "error: mpi: MPI_Init: not all ranks came within 1 s");
}

class MpiHosts : public OnHosts {};

// A rank on each of two hosts, which mpirun starts by what it takes for ssh.
TEST_F(MpiHosts, ExchangeByGlooAndByMpi) {
  const TemporaryFolder folder;
  std::string reach;
  for (const auto& word : pair_->beside(1, {"sh", "-c"})) reach += " " + word;
  const auto agent = folder.write("agent", "#!/bin/sh\nshift\nexec" + reach + " \"$*\"\n");
  ASSERT_EQ(::chmod(agent.c_str(), 0700), 0);
  const auto start = [&](const std::vector<std::string>& program) {
    std::vector<std::string> words{"mpirun",    "-n",   "2",     "--host",        "10.99.0.1:1,10.99.0.2:1",
                                   "--bind-to", "none", "--mca", "plm_rsh_agent", agent};
    words.insert(words.end(), program.begin(), program.end());
    return Program(pair_->on(0, words), kSettings);
  };
  for (const std::string backend : {"gloo", "mpi"}) {
    auto job = start({kExchange, "interface=meet0", "backend=" + backend});
    expect_output(job, 0, "rank 1: step 3");
  }
  // Rank 0 cannot know which of the two networks is meant, and does not let the other wait.
  auto untold = start({"sh", "-c", kExchange + " 2>&1 | tee -a " + folder.file("said")});
  untold.wait();
  const auto said = file_bytes(folder.file("said"));
  EXPECT_NE(said.find("error: TANDEM_INTERFACE: must name the network interface by which other hosts reach this one, "
                      "'host0', whose name does not tell; there are meet0 (10.99.0.1), data0 (10.98.0.1)"),
            std::string::npos)
      << said;
  EXPECT_NE(said.find("error: rank 0: TANDEM_INTERFACE: must name"), std::string::npos) << said;
}

TEST(Mpi, AnotherMpisVariablesAreSeenThrough) {
  Program alone({kExchange}, {{"PMI_RANK", "0"}, {"PMI_SIZE", "2"}, {"OMPI_MCA_btl", "self"}});
  expect_output(alone, 1,
                "error: mpi: MPI says rank 0 of 1, but PMI_RANK, PMI_SIZE says rank 0 of 2: start the program by the "
                "mpirun of the MPI that Tandem was built with");
}

}  // namespace
}  // namespace tandem::testing
