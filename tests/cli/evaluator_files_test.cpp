// How the files of an evaluator are called, which is given the same flags as the workers.
#include <gtest/gtest.h>

#include <filesystem>

#include "run_tandem.h"
#include "tandem/cluster/free_port.h"

namespace tandem::testing {
namespace {

std::string some_address() { return "127.0.0.1:" + std::to_string(cluster::free_port()); }

TEST(EvaluatorFiles, AreNamedAfterTheWorkers) {
  for (const auto& [saved, own] :
       {std::pair("a.b.keras", "a.b-evaluator.keras"), std::pair("a.safetensors", "a-evaluator.weights.h5")}) {
    const TemporaryFolder folder;
    const auto ended = run_tandem({"launch",
                                   "--ps_hosts",
                                   some_address(),
                                   "--worker_hosts",
                                   some_address(),
                                   "--evaluator_hosts",
                                   some_address(),
                                   "--",
                                   TANDEM_COMMAND,
                                   "train",
                                   "mlp",
                                   "--strategy",
                                   "parameter-server",
                                   "--server-mode",
                                   "async",
                                   "--epochs",
                                   "2",
                                   "--devices",
                                   "cpu:0",
                                   "--save",
                                   saved},
                                  folder.path());
    EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
    for (const char* file : {saved, own}) EXPECT_TRUE(std::filesystem::exists(folder.file(file))) << file << ended.out;
  }
}

}  // namespace
}  // namespace tandem::testing
