#include "tandem/cluster/who_am_i.h"

#include <gtest/gtest.h>

#include "tandem/testing/message_of.h"

namespace tandem::cluster {
namespace {

using testing::message_of;
using Variables = std::map<std::string, std::string>;

Membership found(const Variables& variables, const ExplicitRank& given = {}, const HostFlags& flags = {}) {
  return who_am_i(Environment(variables), given, flags);
}
std::string refusal(const Variables& variables, const ExplicitRank& given = {}, const HostFlags& flags = {}) {
  return message_of([&] { found(variables, given, flags); });
}
Variables tf_config(const std::string& text) { return {{"TF_CONFIG", text}}; }
Variables torchrun(const std::string& rank, const std::string& size) {
  return {{"RANK", rank}, {"WORLD_SIZE", size}, {"MASTER_ADDR", "h"}, {"MASTER_PORT", "29500"}};
}

TEST(WhoAmI, OneProcessWhereNobodySaysMore) {
  const auto m = found({});
  EXPECT_TRUE(m.alone());
  EXPECT_EQ(m.describe(), "rank 0 of 1 (chief 0), local rank 0 of 1");
  EXPECT_TRUE(found({{"TF_CONFIG", ""}}).alone());
  // An allocation of Slurm's without srun: one process.
  EXPECT_TRUE(found({{"SLURM_JOB_ID", "7"}, {"SLURM_NTASKS", "8"}, {"SLURM_PROCID", "0"}}).alone());
}

TEST(WhoAmI, TfConfigs) {  // U46
  const auto chief = found(tf_config(R"({"cluster": {"chief": ["a:1"], "worker": ["a:2", "b:1"], "ps": ["c:1"]},
                                         "task": {"type": "worker", "index": 0}, "environment": "cloud"})"));
  EXPECT_EQ(chief.describe(), "rank 1 of 3 (worker 0), local rank 1 of 2, 1 server, meets at a:1");
  const auto first =
      found(tf_config(R"({"cluster": {"worker": ["a:1", "b:1"]}, "task": {"type": "worker", "index": 0}})"));
  EXPECT_EQ(first.describe(), "rank 0 of 2 (chief 0), local rank 0 of 1, meets at a:1");  // no chief: worker 0 is it
  const auto second =
      found(tf_config(R"({"cluster": {"worker": ["a:1", "a:2"]}, "task": {"type": "worker", "task_id": 1}})"));
  EXPECT_EQ(second.rank, 1);
  EXPECT_EQ(second.local_rank, 1);
  const auto server =
      found(tf_config(R"({"cluster": {"worker": ["a:1"], "ps": ["c:1", "c:2"]}, "task": {"type": "ps", "index": 1}})"));
  EXPECT_EQ(server.describe(), "ps 1, 2 servers, meets at a:1");
  EXPECT_FALSE(server.alone());
  const char* outside = R"({"cluster": {"chief": ["a:1"]}, "task": {"type": "evaluator", "index": 0}})";
  EXPECT_EQ(found(tf_config(outside)).role, Role::evaluator);
  const char* inside =
      R"({"cluster": {"master": ["a:1"], "evaluator": ["e:1"]}, "task": {"type": "evaluator", "index": 0}})";
  EXPECT_EQ(found(tf_config(inside)).evaluators.size(), 1U);
  EXPECT_TRUE(found(tf_config("{}")).alone());
  EXPECT_TRUE(found(tf_config(R"({"cluster": {}})")).alone());
}

TEST(WhoAmI, TfConfigsThatMakeNoSense) {  // U46
  EXPECT_EQ(refusal(tf_config("{\"cluster\"")).rfind("TF_CONFIG: must be JSON: ", 0), 0U);
  EXPECT_EQ(refusal(tf_config("[1]")), "TF_CONFIG: it must be an object, got [1]");
  const auto of = [](const std::string& cluster, const std::string& task) {
    return refusal(tf_config("{\"cluster\": " + cluster + ", \"task\": " + task + "}"));
  };
  const std::string two = R"({"worker": ["a:1", "b:1"]})";
  EXPECT_EQ(of(two, R"({"type": "worker", "index": 5})"),
            "TF_CONFIG: task.index must be below the 2 processes of 'worker', got 5");
  EXPECT_EQ(of(two, R"({"type": "ps", "index": 0})"), "TF_CONFIG: the job is 'ps', but the cluster has none");
  EXPECT_EQ(of(two, R"({"type": "wroker", "index": 0})"),
            "TF_CONFIG: task.type 'wroker' is not known; did you mean 'worker'?");
  EXPECT_EQ(of(two, R"({"type": "worker"})"), "TF_CONFIG: task.index must be a whole number of at least 0, got null");
  EXPECT_EQ(of(two, R"({"type": "worker", "index": -1})"),
            "TF_CONFIG: task.index must be a whole number of at least 0, got -1");
  EXPECT_EQ(of(two, R"({"type": "worker", "index": 1, "task_id": 0})"),
            "TF_CONFIG: task.index and task.task_id must be equal where both are given, got "
            "{\"type\":\"worker\",\"index\":1,\"task_id\":0}");
  EXPECT_EQ(of(two, "null"), "TF_CONFIG: task must be an object with type and index, got null");
  EXPECT_EQ(of(R"({"worker": "a:1"})", R"({"type": "worker", "index": 0})"),
            "TF_CONFIG: cluster.worker must be a list of \"host:port\", got \"a:1\"");
  EXPECT_EQ(of(R"({"worker": ["a"]})", R"({"type": "worker", "index": 0})"),
            "TF_CONFIG: cluster.worker: must be host:port, got 'a'");
  EXPECT_EQ(of(R"({"worker": ["a:1"], "ps": ["a:1"]})", R"({"type": "worker", "index": 0})"),
            "TF_CONFIG: every process must have an address of its own, got a:1 twice");
  EXPECT_EQ(of(R"({"ps": ["a:1"]})", R"({"type": "ps", "index": 0})"),
            "TF_CONFIG: there must be a chief or a worker, got none");
  EXPECT_EQ(of(R"({"chief": ["a:1", "b:1"]})", R"({"type": "chief", "index": 0})"),
            "TF_CONFIG: there must be at most one chief, got 2");
}

TEST(WhoAmI, TorchrunsVariables) {
  auto variables = torchrun("3", "4");
  EXPECT_EQ(found(variables).describe(), "rank 3 of 4 (worker 2), meets at h:29500");  // as PyTorchJob sets them
  variables["LOCAL_RANK"] = "1";
  variables["LOCAL_WORLD_SIZE"] = "2";
  EXPECT_EQ(found(variables).describe(), "rank 3 of 4 (worker 2), local rank 1 of 2, meets at h:29500");
  EXPECT_EQ(refusal({{"RANK", "0"}}), "WORLD_SIZE: must be set where RANK is");
  EXPECT_EQ(refusal({{"RANK", "0"}, {"WORLD_SIZE", "2"}}), "MASTER_ADDR: must be set where WORLD_SIZE is 2");
  EXPECT_EQ(refusal(torchrun("4", "4")), "cluster: RANK, WORLD_SIZE: the rank must be below the world size 4, got 4");
  EXPECT_EQ(refusal(torchrun("x", "4")), "RANK: must be a whole number of at least 0, got 'x'");
}

TEST(WhoAmI, MpirunsVariables) {
  const auto m = found({{"OMPI_COMM_WORLD_RANK", "2"},
                        {"OMPI_COMM_WORLD_SIZE", "4"},
                        {"OMPI_COMM_WORLD_LOCAL_RANK", "0"},
                        {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"}});
  EXPECT_EQ(m.describe(), "rank 2 of 4 (worker 1), local rank 0 of 2");
  EXPECT_EQ(m.telling, Telling::mpi);
  EXPECT_EQ(found({{"PMI_RANK", "1"}, {"PMI_SIZE", "2"}}).rank, 1);
  EXPECT_EQ(refusal({{"PMI_RANK", "1"}}), "PMI_SIZE: must be set where PMI_RANK is");
}

TEST(WhoAmI, SrunsVariables) {
  Variables variables{{"SLURM_PROCID", "3"},
                      {"SLURM_LOCALID", "1"},
                      {"SLURM_NODEID", "1"},
                      {"SLURM_STEP_NUM_TASKS", "5"},
                      {"SLURM_STEP_NODELIST", "node[08-10]"},
                      {"SLURM_STEP_TASKS_PER_NODE", "2(x2),1"}};
  EXPECT_EQ(found(variables).describe(), "rank 3 of 5 (worker 2), local rank 1 of 2, meets at node08");
  variables["SLURM_STEP_TASKS_PER_NODE"] = "2(x2)";
  EXPECT_EQ(refusal(variables),
            "SLURM_STEP_TASKS_PER_NODE: must have a number for each of the 3 hosts of SLURM_STEP_NODELIST, got "
            "'2(x2)'");
  variables["SLURM_STEP_TASKS_PER_NODE"] = "2(x3)";
  EXPECT_EQ(refusal(variables), "SLURM_STEP_TASKS_PER_NODE: must add up to SLURM_STEP_NUM_TASKS, 5, got '2(x3)'");
}

TEST(WhoAmI, WhereRankZeroIsMetUnderMpirunAndSrun) {
  Variables mpirun{{"OMPI_COMM_WORLD_RANK", "1"}, {"OMPI_COMM_WORLD_SIZE", "2"}};
  Variables srun{{"SLURM_PROCID", "1"}, {"SLURM_STEP_NUM_TASKS", "2"}};
  EXPECT_EQ(found(srun).telling, Telling::shared_file);
  auto pmi = srun;  // srun --mpi=pmi2
  pmi.insert({{"PMI_RANK", "1"}, {"PMI_SIZE", "2"}});
  EXPECT_EQ(found(pmi).telling, Telling::shared_file);
  for (auto variables : {mpirun, srun, pmi}) {
    variables.insert({{"MASTER_ADDR", "a"}, {"MASTER_PORT", "2222"}});
    EXPECT_EQ(found(variables).telling, Telling::address);
    EXPECT_EQ(found(variables).master, (Address{"a", 2222}));
    variables.erase("MASTER_PORT");
    EXPECT_EQ(refusal(variables), "MASTER_PORT: must be set where MASTER_ADDR is");
  }
}

TEST(WhoAmI, HostFlagsAsTensorFlowsExamplesHaveThem) {
  const HostFlags flags{.ps_hosts = "a:1, b:1", .worker_hosts = "c:1, c:2, d:1", .job_name = "worker", .task_index = 1};
  EXPECT_EQ(found({}, {}, flags).describe(), "rank 1 of 3 (worker 1), local rank 1 of 2, 2 servers, meets at c:1");
  EXPECT_EQ(refusal({}, {}, {.ps_hosts = "a:1"}), "--worker_hosts: must be given with the other flags of hosts");
  EXPECT_EQ(refusal({}, {}, {.worker_hosts = "c:1", .job_name = "worker", .task_index = 1}),
            "--worker_hosts, --job_name: --task_index must be below the 1 processes of 'worker', got 1");
}

TEST(WhoAmI, OptionsGivenByHand) {
  EXPECT_EQ(found({}, {.rank = 1, .world_size = 2, .master = "h:1"}).describe(),
            "rank 1 of 2 (worker 0), meets at h:1");
  EXPECT_EQ(refusal({}, {.rank = 1}), "--rank and --world-size: must be given together, got --rank alone");
  EXPECT_EQ(refusal({}, {.rank = 1, .world_size = 2}), "--master: must be given with a --world-size of 2");
}

TEST(WhoAmI, ContradictionsQuoteBothSources) {
  auto variables = torchrun("0", "4");
  variables["TF_CONFIG"] = R"({"cluster": {"worker": ["a:1", "b:1"]}, "task": {"type": "worker", "index": 1}})";
  EXPECT_EQ(refusal(variables), "cluster: TF_CONFIG says rank 1 of 2, but RANK, WORLD_SIZE says rank 0 of 4");
  EXPECT_EQ(refusal(torchrun("0", "2"), {.rank = 1, .world_size = 2, .master = "h:1"}),
            "cluster: --rank, --world-size says rank 1 of 2, but RANK, WORLD_SIZE says rank 0 of 2");
  EXPECT_EQ(found(torchrun("1", "2"), {.rank = 1, .world_size = 2, .master = "h:1"}).source, "--rank, --world-size");
}

TEST(WhoAmI, OuterLaunchersAreNotAsked) {
  auto variables = torchrun("5", "8");
  variables["TORCHELASTIC_RUN_ID"] = "job";
  variables["SLURM_PROCID"] = "1";  // the second of two torchruns
  variables["SLURM_STEP_NUM_TASKS"] = "2";
  EXPECT_EQ(found(variables).rank, 5);
  // mpirun that starts its daemons by srun.
  EXPECT_EQ(found({{"SLURM_PROCID", "0"}, {"SLURM_STEP_NUM_TASKS", "1"}, {"PMI_RANK", "1"}, {"PMI_SIZE", "2"}}).rank,
            1);
}

TEST(WhoAmI, SourcesAgreeInAddresses) {
  const auto config =
      tf_config(R"({"cluster": {"worker": ["a:1"], "ps": ["p:1"]}, "task": {"type": "ps", "index": 0}})");
  const auto with = [&](const std::string& ps, const std::string& worker) {
    return refusal(config, {}, {.ps_hosts = ps, .worker_hosts = worker, .job_name = "ps", .task_index = 0});
  };
  EXPECT_EQ(with("p:1", "a:1"), "nothing was thrown");
  EXPECT_EQ(with("p:2", "a:1"),
            "cluster: TF_CONFIG says that the servers are p:1, but --ps_hosts, --worker_hosts, --job_name says p:2");
  EXPECT_EQ(with("p:1", "b:1"),
            "cluster: TF_CONFIG says that the workers are a:1, but --ps_hosts, --worker_hosts, --job_name says b:1");
}

TEST(WhoAmI, FlagsSayTheSameAsTheirTfConfig) {
  for (const auto& [role, index] : {std::pair("ps", 1), std::pair("worker", 0), std::pair("evaluator", 0)}) {
    const HostFlags flags{.ps_hosts = "p:1,p:2", .worker_hosts = "a:1,b:1", .job_name = role, .task_index = index};
    const auto by_flags = found({}, {}, flags), by_config = found(tf_config(tf_config_of(flags)));
    EXPECT_EQ(by_config.describe(), by_flags.describe());
    EXPECT_EQ(by_config.source, "--ps_hosts, --worker_hosts, --job_name");
    EXPECT_EQ(by_config.servers, by_flags.servers);
    EXPECT_EQ(by_config.ranks, by_flags.ranks);
  }
}

}  // namespace
}  // namespace tandem::cluster
