#include "tandem/servers/server_plan.h"

#include <gtest/gtest.h>

#include "tandem/servers/plan_test.h"
#include "tandem/testing/message_of.h"

namespace tandem::servers {
namespace {

using testing::message_of;

TEST(ServerPlan, DividesAnywhereWhereElementsAreIndependent) {
  const auto plan = plan_of("Adam", Config::object(), {}, 3, 64);
  EXPECT_EQ(plan.server_edges, (std::vector<int64_t>{0, 42, 85, 128}));
  EXPECT_EQ(plan.block_edges, (std::vector<int64_t>{0, 14, 28, 42, 56, 70, 85, 99, 113, 128}));
  EXPECT_EQ(plan.first_block(1), 3);
  EXPECT_EQ(plan.first_block(3), 9);
  EXPECT_EQ(plan.server_of(2), 0);
  EXPECT_EQ(plan.server_of(3), 1);
  EXPECT_EQ(plan.largest_block(), 15);
}

TEST(ServerPlan, DividesBetweenWeightsWhereTheyMustBeWhole) {
  for (const auto& [name, config] :
       {std::pair{"Lamb", Config::object()}, {"SGD", Config::object({{"clipnorm", 1.0}})}}) {
    EXPECT_EQ(plan_of(name, config, {}, 2, 1 << 20).server_edges, (std::vector<int64_t>{0, 64, 128}));
    EXPECT_EQ(plan_of(name, config, {}, 3, 1 << 20).server_edges, (std::vector<int64_t>{0, 48, 80, 128}));
    EXPECT_EQ(plan_of(name, config, {}, 4, 1 << 20).server_edges, (std::vector<int64_t>{0, 48, 64, 80, 128}));
    EXPECT_NE(message_of([&, name = name, config = config] {
                plan_of(name, config, {}, 5, 1 << 20);
              }).find("got 5 servers for 4 weights"),
              std::string::npos);
  }
}

TEST(ServerPlan, NamesWhatServersCannotDo) {
  const auto global = Config::object({{"global_clipnorm", 1.0}});
  EXPECT_EQ(plan_of("SGD", global, {}, 1, 64).servers(), 1);
  EXPECT_EQ(
      message_of([&] { plan_of("SGD", global, {}, 2, 64); }),
      "parameter servers: SGD: global_clipnorm needs the norm over all weights, which none of 2 servers sees; use "
      "one server, or clipnorm");
  EXPECT_NE(message_of([&] {
              plan_of("SGD", Config::object({{"loss_scale_factor", 8.0}}), {}, 1, 64);
            }).find("SGD scales the loss"),
            std::string::npos);
  EXPECT_NE(message_of([&] {
              plan_of("SGD", Config::object(), {.workers = 2, .backup_workers = 2}, 1, 64);
            }).find("backup workers must be fewer than the 2 workers"),
            std::string::npos);
  EXPECT_NE(message_of([&] { plan_of("SGD", Config::object(), {}, 0, 64); }).find("got 0"), std::string::npos);
  EXPECT_NE(message_of([] { server_mode("asynch"); }).find("did you mean 'async'"), std::string::npos);
}

TEST(ServerPlan, IsTheSameBehindItsBytes) {
  const auto plan = plan_of("Lamb", Config::object(), {.mode = ServerMode::stale, .workers = 5, .staleness = 2}, 2, 64);
  const auto bytes = plan.encode();
  EXPECT_EQ(ServerPlan::decode(bytes), plan);
  for (std::size_t n = 0; n < bytes.size(); ++n) {
    try {
      ServerPlan::decode(bytes.substr(0, n));  // a part may be a plan with fewer weights
    } catch (const DataError&) {
    }
  }
  auto bounded = plan;
  bounded.weights[1].constraint = "MaxNorm";
  bounded.weights[1].constraint_config = R"({"max_value": 2})";
  EXPECT_EQ(ServerPlan::decode(bounded.encode()), bounded);
  auto wrong = plan;
  wrong.block_edges[1] = plan.block_edges[2];
  EXPECT_EQ(message_of<DataError>([&] { ServerPlan::decode(wrong.encode()); }),
            "plan of the servers: edges must rise from 0 to the number of elements");
  wrong = plan;
  wrong.weights[0].strides = {1, 100};
  EXPECT_NE(message_of<DataError>([&] { ServerPlan::decode(wrong.encode()); }).find("weight 'kernel' must lie"),
            std::string::npos);
}

}  // namespace
}  // namespace tandem::servers
