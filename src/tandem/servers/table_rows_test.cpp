// Tables whose rows are pushed alone, by calls: compared with plain optimizers on gradients with zeros in all other
// rows.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "tandem/servers/parameter_table.h"
#include "tandem/servers/table_plan_test.h"
#include "tandem/testing/message_of.h"

namespace tandem::servers {
namespace {

using testing::message_of;

struct RowsTable {
  explicit RowsTable(const ServerPlan& plan, int64_t server = 0) : plan(plan) {
    table =
        ParameterTable::make(plan, server, [this](int64_t, const BlockAnswer& answer) { answers.push_back(answer); });
    for (int64_t w = 0; w < plan.workers; ++w) table->join(w);
  }
  void push(int64_t worker, uint64_t id, int64_t version, const Tensor& gradient, int64_t rows = 1) {
    for (int64_t b = 0; b < plan.blocks(); ++b) table->push(push_of(plan, b, worker, id, version, gradient, rows));
  }

  ServerPlan plan;
  std::unique_ptr<ParameterTable> table;
  std::vector<BlockAnswer> answers;
};

Tensor start_of(const ServerPlan& plan) { return at::arange(plan.elements).to(at::kFloat).div_(100); }

void begin(RowsTable& server, PlainTraining& plain) {
  const Tensor start = start_of(server.plan);
  for (int64_t b = 0; b < server.plan.blocks(); ++b)
    server.table->begin(b, start.narrow(0, server.plan.block_begin(b), server.plan.block_elements(b)));
  Tensor(plain.parameters()).copy_(start);
}

TEST(TableRows, SyncEqualsTheDenseUpdateToTheBit) {
  for (const auto& [name, config] : table_rules()) {
    SCOPED_TRACE(name + config.shown());
    const bool norm = config.get("clipnorm", 0.0).as_double() + config.get("global_clipnorm", 0.0).as_double() > 0;
    for (const int64_t workers : {1, 2, 3, 4}) {
      const auto plan = table_plan(name, config, {.workers = workers}, 1);
      RowsTable server(plan);
      PlainTraining plain(plan);
      begin(server, plain);
      for (int64_t step = 0; step < 5; ++step) {
        const auto gradients = some_table_gradients(plan, workers, step);
        for (int64_t w = workers - 1; w >= 0; --w)
          server.push(w, static_cast<uint64_t>(step) + 1, step, gradients[static_cast<std::size_t>(w)]);
        plain.update(tree_sum(gradients));
        if (norm) {  // squares of the same numbers, added up beside one another
          EXPECT_TRUE(at::allclose(server.table->parameters(), plain.parameters(), 1e-6, 1e-7)) << step;
        } else {
          EXPECT_TRUE(server.table->parameters().equal(plain.parameters())) << step;
        }
        const auto state = server.table->state();
        for (std::size_t s = 0; s < state.slots.size(); ++s)
          EXPECT_TRUE(at::allclose(state.slots[s], plain.slots()[s], norm ? 1e-6 : 0, norm ? 1e-7 : 0)) << step;
      }
      EXPECT_EQ(server.table->figures().updates, 5);
      for (const auto& answer : server.answers) EXPECT_EQ(answer.parameters.defined(), !plan.table_of(answer.block));
    }
  }
}

TEST(TableRows, GradientsThatAreAppliedWhenTheyCome) {
  for (const auto& [name, config] : table_rules()) {
    SCOPED_TRACE(name + config.shown());
    const auto plan = table_plan(name, config, {.mode = ServerMode::async, .workers = 2}, 1);
    RowsTable server(plan);
    PlainTraining plain(plan);
    begin(server, plain);
    for (int64_t step = 0; step < 4; ++step) {
      const auto gradient = some_table_gradients(plan, 1, step)[0];
      server.push(step % 2, static_cast<uint64_t>(step / 2) + 1, step / 2, gradient);
      server.push(step % 2, static_cast<uint64_t>(step / 2) + 1, step / 2, gradient);  // sent again
      plain.update(gradient.clone());
      EXPECT_TRUE(at::allclose(server.table->parameters(), plain.parameters(), 1e-6, 1e-7)) << step;
    }
    EXPECT_EQ(server.table->figures().updates, 4);
    EXPECT_EQ(server.table->figures().duplicates, 4 * plan.blocks());
  }
}

TEST(TableRows, ThoseThatAreHeldMakeOneUpdateByTheirMean) {
  for (const std::string name : {"SGD", "Adam"}) {
    const auto plan = table_plan(name, Config::object(), {.mode = ServerMode::stale, .workers = 3, .staleness = 0}, 1);
    RowsTable server(plan);
    PlainTraining plain(plan);
    begin(server, plain);
    for (int64_t w = 0; w < 3; ++w) server.table->pull(w);
    const auto gradients = some_table_gradients(plan, 3, 1);
    for (int64_t w = 0; w < 3; ++w) server.push(w, 1, 0, gradients[static_cast<std::size_t>(w)], w + 1);
    plain.update((gradients[0] + gradients[1] * 2 + gradients[2] * 3) / 6);
    EXPECT_TRUE(at::allclose(server.table->parameters(), plain.parameters(), 1e-5, 1e-6));
    EXPECT_EQ(server.table->figures().updates, 1);
    EXPECT_EQ(server.table->figures().by_staleness, std::vector<int64_t>{3});
  }
}

TEST(TableRows, AreReadByTheirNumbers) {
  const auto plan = table_plan("SGD", Config::object(), {.workers = 2}, 1);
  RowsTable server(plan);
  PlainTraining plain(plan);
  begin(server, plain);
  const auto block = plan.blocks() - 1;  // rows of 5, the last ones of the second table
  const Tensor all = start_of(plan).narrow(0, plan.block_begin(block), plan.block_elements(block));
  server.table->read_rows(1, 7, block, at::tensor({0, 2}, at::kLong));
  EXPECT_EQ(server.answers.back().kind, Kind::rows);
  EXPECT_EQ(server.answers.back().id, 7U);
  EXPECT_TRUE(server.answers.back().parameters.equal(at::cat({all.narrow(0, 0, 5), all.narrow(0, 10, 5)})));
  server.table->read_rows(1, 8, block, {});
  EXPECT_TRUE(server.answers.back().parameters.equal(all));
  EXPECT_THROW(server.table->read_rows(1, 9, 0, {}), DataError);
  EXPECT_THROW(server.table->read_rows(1, 9, plan.blocks(), {}), DataError);
  EXPECT_THROW(server.table->push({.worker = 0, .id = 1, .block = block, .gradient = all}), DataError);
}

TEST(TableRows, TravelAndAreCheckedBeforeTheyTakeMemory) {
  const auto plan = table_plan("SGD", Config::object(), {.workers = 2}, 1);
  const Header header{.kind = Kind::rows, .block = plan.blocks() - 1};
  const auto rows = at::tensor({0, 1, 3}, at::kLong);
  ASSERT_EQ(plan.block_rows(header.block), 4);
  EXPECT_TRUE(decode_rows(encode_rows(rows), header, plan, 0).equal(rows));
  EXPECT_EQ(decode_rows("", header, plan, 0).numel(), 0);
  const auto why = [&](const std::vector<int64_t>& wrong) {
    return message_of<DataError>([&] { decode_rows(encode_rows(at::tensor(wrong, at::kLong)), header, plan, 0); });
  };
  const auto must =
      "message of worker 0: rows of block " + std::to_string(header.block) + " must rise from 0 to at most 3";
  EXPECT_EQ(why({0, 4}), must + ", got 4");
  EXPECT_EQ(why({1, 1}), must + ", got 1");
  EXPECT_EQ(why({2, 1}), must + ", got 1");
  EXPECT_EQ(why({0, 1, 2, 3, 4}), must + ", got 20 bytes");
  EXPECT_EQ(message_of<DataError>([&] { decode_rows("12345", header, plan, 0); }), must + ", got 5 bytes");
  EXPECT_NE(message_of<DataError>([&] { decode_rows("", {.block = 0}, plan, 0); }).find("rows must be of a table"),
            std::string::npos);
}

TEST(TableRows, TablesAreDividedBetweenRows) {
  for (const int64_t servers : {1, 2, 3, 5}) {
    const auto plan = table_plan("Adam", Config::object(), {}, servers);
    EXPECT_EQ(plan.servers(), servers);
    EXPECT_EQ(ServerPlan::decode(plan.encode()), plan);
    for (int64_t b = 0; b < plan.blocks(); ++b) {
      if (const auto table = plan.table_of(b)) {
        const auto& weight = plan.weights[*table];
        EXPECT_GE(plan.block_begin(b), weight.offset);
        EXPECT_LE(plan.block_begin(b + 1), weight.offset + weight.count());
        EXPECT_EQ((plan.block_begin(b) - weight.offset) % weight.row(), 0);
        EXPECT_LE(plan.block_elements(b) * 4, 80);
      } else {
        EXPECT_LE(plan.block_begin(b + 1), plan.dense_elements());
      }
    }
  }
  const ServerPlan two_rows{.weights = {{"t", 0, {2, 10}, {}, true}}, .elements = 20};
  EXPECT_NE(
      message_of([&] { divide_among_servers(two_rows, *Optimizer::make("sgd"), 3); }).find("too few for 3 servers"),
      std::string::npos);
  const ServerPlan in_front{.weights = {{"t", 0, {2, 10}, {}, true}, {"w", 20, {4}}}, .elements = 24};
  EXPECT_NE(message_of([&] { divide_among_servers(in_front, *Optimizer::make("sgd"), 1); }).find("behind"),
            std::string::npos);
}

}  // namespace
}  // namespace tandem::servers
