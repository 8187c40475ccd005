// Workers that pull and push rows of tables over real sockets: what the numbers become, and what travels.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tandem/servers/server.h"
#include "tandem/servers/server_client.h"
#include "tandem/servers/table_plan_test.h"
#include "tandem/testing/message_of.h"
#include "tandem/testing/on_threads.h"
#include "tandem/testing/temporary_folder.h"

namespace tandem::servers {
namespace {

using testing::message_of;

struct Servers {
  explicit Servers(int64_t count, const ServerOptions& options = {}) {
    for (int64_t s = 0; s < count; ++s) {
      all.push_back(std::make_unique<Server>(options));
      addresses.push_back(all.back()->address());
    }
  }
  std::vector<std::unique_ptr<Server>> all;
  std::vector<std::string> addresses;
};

// A worker with copies of the tables' touched rows alone.
struct Worker {
  Worker(const Servers& servers, const ServerPlan& plan, int64_t number)
      : plan(plan), client({.servers = servers.addresses, .worker = number}) {
    parameters = at::arange(plan.dense_elements()).to(at::kFloat).div_(100);
    std::vector<Tensor> tables;
    for (const auto& weight : plan.weights) {
      if (weight.is_table)
        tables.push_back(at::arange(weight.offset, weight.offset + weight.count()).to(at::kFloat).div_(100));
    }
    client.begin(plan, parameters, number == 0 ? tables : std::vector<Tensor>());
  }
  PushOutcome step(const Tensor& gradient) {
    for (int64_t b = 0; b < plan.blocks() && !plan.table_of(b); ++b)
      client.push(b, gradient.narrow(0, 0, plan.dense_elements()));
    for (std::size_t i = 0; i < plan.weights.size(); ++i) {
      if (!plan.weights[i].is_table) continue;
      const auto rows = rows_in(plan, i, gradient);
      touched_bytes += rows.count() * (4 + plan.weights[i].row() * 4);
      client.push_rows(i, rows);
    }
    return client.finish(parameters);
  }
  Tensor whole() {
    std::vector<Tensor> parts{parameters};
    for (std::size_t i = 0; i < plan.weights.size(); ++i) {
      if (!plan.weights[i].is_table) continue;
      Tensor table = at::empty({plan.weights[i].count()});
      client.pull_table(i, table);
      parts.push_back(table);
    }
    return at::cat(parts);
  }

  const ServerPlan plan;
  ServerClient client;
  Tensor parameters;
  int64_t touched_bytes = 0;
};

TEST(TableClient, TrainsAsThePlainOptimizerAndSendsTouchedRowsAlone) {
  for (const auto& [name, config] : table_rules()) {
    const bool norm = config.get("clipnorm", 0.0).as_double() + config.get("global_clipnorm", 0.0).as_double() > 0;
    for (const int64_t servers : {1, 3}) {
      if (servers > 1 && config.contains("global_clipnorm")) continue;
      SCOPED_TRACE(name + config.shown() + " on " + std::to_string(servers));
      const auto plan = table_plan(name, config, {.workers = 3}, servers);
      const Servers some(servers);
      PlainTraining plain(plan);
      Tensor(plain.parameters()).copy_(at::arange(plan.elements).to(at::kFloat).div_(100));
      for (int64_t step = 0; step < 4; ++step) plain.update(tree_sum(some_table_gradients(plan, 3, step)));
      testing::on_threads(3, [&](int64_t w) {
        Worker worker(some, plan, w);
        for (int64_t step = 0; step < 4; ++step) {
          const auto outcome = worker.step(some_table_gradients(plan, 3, step)[static_cast<std::size_t>(w)]);
          EXPECT_EQ(outcome.applied, plan.blocks());
        }
        EXPECT_EQ(worker.client.bytes_sent(), 4 * plan.dense_elements() * 4 + worker.touched_bytes);
        EXPECT_EQ(worker.client.bytes_received(), 5 * plan.dense_elements() * 4);
        const Tensor all = worker.whole();
        const double off = norm ? 1e-6 : 0;
        EXPECT_TRUE(at::allclose(all, plain.parameters(), off, off));
        const auto rows = at::tensor({0, 3, 4, 16}, at::kLong);
        EXPECT_TRUE(worker.client.pull_rows(3, rows).equal(all.narrow(0, 133, 90).view({18, 5}).index_select(0, rows)));
        EXPECT_EQ(worker.client.bytes_received(), (5 * plan.dense_elements() + 69 + 90 + 4 * 5) * 4);
        worker.client.leave();
      });
      for (const auto& server : some.all) server->wait();
    }
  }
}

TEST(TableClient, RefusesWhatIsNoRow) {
  const auto plan = table_plan("SGD", Config::object(), {}, 1);
  const Servers some(1);
  Worker worker(some, plan, 0);
  const auto why = [&](std::size_t table, const Tensor& rows) {
    return message_of([&] { worker.client.pull_rows(table, rows); });
  };
  const std::string must = "parameter servers: rows of table 'first' must rise from 0 to at most 22, got ";
  EXPECT_EQ(why(2, at::tensor({0, 23}, at::kLong)), must + "23");
  EXPECT_EQ(why(2, at::tensor({5, 5}, at::kLong)), must + "5");
  EXPECT_EQ(why(2, at::tensor({-1}, at::kLong)), must + "-1");
  EXPECT_EQ(why(1, at::tensor({1}, at::kLong)), "parameter servers: weight 1 must be a table");
  EXPECT_NE(message_of([&] { worker.client.push(plan.blocks() - 1, worker.parameters); }).find("is of a table's rows"),
            std::string::npos);
}

TEST(TableClient, GoesOnFromWhatAServerHasSaved) {
  const testing::TemporaryFolder folder;
  const ServerOptions options{.save = {.folder = folder.path(), .every_updates = 1}};
  const auto plan = table_plan("Adagrad", Config::object(), {}, 1);
  PlainTraining plain(plan);
  Tensor(plain.parameters()).copy_(at::arange(plan.elements).to(at::kFloat).div_(100));
  for (int part = 0; part < 2; ++part) {
    const Servers some(1, options);
    Worker worker(some, plan, 0);
    EXPECT_EQ(worker.client.resumed(), 2 * part);
    for (int64_t step = 2 * part; step < 2 * part + 2; ++step) {
      const auto gradient = some_table_gradients(plan, 1, step)[0];
      worker.step(gradient);
      plain.update(gradient.clone());
    }
    EXPECT_TRUE(worker.whole().equal(plain.parameters()));
    some.all[0]->stop();
  }
}

// Of this process, in MiB.
int64_t memory_at_most() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    int64_t kib = 0;
    if (word == "VmHWM:" && status >> kib) return kib / 1024;
  }
  return 0;
}

// 320 MB, of which a worker touches 300 rows in each step.
TEST(TableClient, ATableOfTenMillionRowsCostsWhatItsTouchedRowsCost) {
  constexpr int64_t kRows = 10'000'000, kRow = 8, kTouched = 300, kSteps = 20, kWorkers = 2;
  constexpr double kRate = 0.5;
  ServerPlan wishes{.workers = kWorkers,
                    .weights = {{"bias", 0, {16}}, {"table", 16, {kRows, kRow}, {}, true}},
                    .elements = 16 + kRows * kRow};
  const auto plan =
      divide_among_servers(wishes, *Optimizer::make("SGD", Config::object({{"learning_rate", kRate}})), 2);
  const int64_t before = memory_at_most();
  const Servers some(2);
  // Of row r at first: r / 1024; worker w's gradient of row r in step s: w + 1 + s.
  const auto rows_of = [&](int64_t worker, int64_t step) {
    const Tensor drawn = at::arange(kTouched).mul_(33'331).add_(step * 7'919 + worker * 1'000'003).remainder_(kRows);
    return std::get<0>(drawn.sort());
  };
  const auto gradient_of = [](int64_t worker, int64_t step) { return static_cast<double>(worker + 1 + step); };
  testing::on_threads(kWorkers, [&](int64_t w) {
    ServerClient client({.servers = some.addresses, .worker = w});
    Tensor bias = at::zeros({16});
    {
      std::vector<Tensor> tables;
      if (w == 0)
        tables.push_back(at::arange(kRows).to(at::kFloat).div_(1024).view({-1, 1}).expand({kRows, kRow}).contiguous());
      client.begin(plan, bias, tables);
    }
    for (int64_t step = 0; step < kSteps; ++step) {
      const Tensor rows = rows_of(w, step);
      const int64_t sent = client.bytes_sent(), received = client.bytes_received();
      const Tensor values = client.pull_rows(1, rows);
      Tensor expected = rows.to(at::kFloat).div(1024);
      for (int64_t past = 0; past < step; ++past) {
        for (int64_t other = 0; other < kWorkers; ++other)
          expected.sub_(at::isin(rows, rows_of(other, past)).to(at::kFloat), kRate * gradient_of(other, past));
      }
      EXPECT_TRUE(at::allclose(values, expected.view({-1, 1}).expand({-1, kRow}), 1e-5, 1e-4)) << step;
      for (int64_t b = 0; b < plan.blocks() && !plan.table_of(b); ++b) client.push(b, at::ones({16}));
      client.push_rows(1, {rows, at::full({kTouched, kRow}, gradient_of(w, step), at::kFloat)});
      client.finish(bias);
      // Rows and their numbers twice, and what is no table.
      EXPECT_EQ(client.bytes_sent() - sent, kTouched * (4 + 4 + kRow * 4) + 16 * 4);
      EXPECT_EQ(client.bytes_received() - received, kTouched * kRow * 4 + 16 * 4);
    }
    client.leave();
  });
  for (const auto& server : some.all) server->wait();
  const int64_t taken = memory_at_most() - before, table = kRows * kRow * 4 / (1 << 20);
  RecordProperty("peak_MiB", std::to_string(taken));
  std::cout << "peak memory: " << taken << " MiB for a table of " << table << " MiB\n";
  // Worker 0's, which it begins with; on its way to the servers; theirs.
  EXPECT_LT(taken, 4 * table);
}

}  // namespace
}  // namespace tandem::servers
