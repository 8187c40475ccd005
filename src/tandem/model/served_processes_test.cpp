// Workers in several processes with parameter servers of their own: the numbers of one device.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "tandem/distribution/mirrored.h"
#include "tandem/distribution/parameter_server.h"
#include "tandem/model/processes_case_test.h"
#include "tandem/servers/server.h"

namespace tandem {
namespace {

using parity::Grid;

class ServedProcesses : public ::testing::TestWithParam<Grid> {
 protected:
  // Each job has servers of its own.
  parity::MakeStrategy sync_servers(int64_t fixed_order = 0) {
    servers_.clear();
    std::vector<std::string> addresses;
    for (int s = 0; s < 2; ++s) {
      servers_.push_back(std::make_unique<servers::Server>());
      addresses.push_back(servers_.back()->address());
    }
    return [addresses, fixed_order](const distribute::ProcessGroup& group, const Devices& own) {
      return distribute::ParameterServer({.group = group,
                                          .workers = own,
                                          .addresses = addresses,
                                          .threads_per_device = 1,
                                          .fixed_order = fixed_order,
                                          .bucket_bytes = 256});
    };
  }
  void expect_served_end() {
    for (auto& server : servers_) server->wait();  // all workers have left
  }

  const parity::Task task_{
      parity::two_layers, parity::by_adam(), {parity::some_x()}, {parity::some_y()}, {.batch_size = 7, .epochs = 2}};
  std::vector<std::unique_ptr<servers::Server>> servers_;
};

TEST_P(ServedProcesses, TrainAsOneDevice) {
  const auto one = parity::train(task_, 1);
  for (const auto& got : parity::train_with(task_, GetParam(), sync_servers())) parity::expect_same(got, one);
  expect_served_end();
}

TEST_P(ServedProcesses, GiveTheBitsOfMirroredInFixedOrder) {
  const auto one =
      parity::train(task_, distribute::Mirrored({.devices = {"cpu:0"}, .threads_per_device = 1, .fixed_order = 4}));
  for (const auto& got : parity::train_with(task_, GetParam(), sync_servers(4))) parity::expect_same_bits(got, one);
  expect_served_end();
}

TEST_P(ServedProcesses, AllGoOnFromWhatTheFirstOneSets) {
  std::vector<std::vector<Tensor>> weights(static_cast<std::size_t>(GetParam().processes));
  parity::on_grid_with(GetParam(), task_.build, task_.compile, sync_servers(), [&](Model& model, int64_t process) {
    const FitOptions fit{.batch_size = 8, .epochs = 1, .verbose = 0};
    model.fit(task_.x, task_.y, fit);
    auto own = model.get_weights();
    for (auto& w : own) w = w * (process == 0 ? 0.5 : 0.0);
    model.set_weights(own);
    model.fit(task_.x, task_.y, fit);
    weights[static_cast<std::size_t>(process)] = model.get_weights();
  });
  set_random_seed(11);
  clear_session();
  Model plain = task_.build();
  plain.compile(task_.compile);
  const FitOptions fit{.batch_size = 8, .epochs = 1, .verbose = 0};
  plain.fit(task_.x, task_.y, fit);
  auto halved = plain.get_weights();
  for (auto& w : halved) w = w * 0.5;
  plain.set_weights(halved);
  plain.fit(task_.x, task_.y, fit);
  const auto want = plain.get_weights();
  for (const auto& own : weights) {
    for (std::size_t i = 0; i < want.size(); ++i) EXPECT_TRUE(at::allclose(own[i], want[i], 1e-5, 1e-5)) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Grids, ServedProcesses, ::testing::Values(Grid{1, 1}, Grid{2, 1}, Grid{2, 2}, Grid{4, 1}),
                         [](const auto& info) {
                           return std::to_string(info.param.processes) + "x" + std::to_string(info.param.devices);
                         });

}  // namespace
}  // namespace tandem
