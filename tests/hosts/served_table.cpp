// A process of a job that trains a table of many rows with parameter servers, by the role in its variables:
// served_table MODE ROWS. Workers say what they sent and received, how far the rows that were trained are from a
// formula (which is that of sync alone), and all of them their memory at most.
#include <tandem/tandem.h>

#include <cmath>
#include <cstdio>
#include <fstream>
#include <map>

#include "tandem/cluster/who_am_i.h"
#include "tandem/servers/serve.h"

namespace {

using namespace tandem;

constexpr int64_t kRow = 8, kBatch = 64, kSteps = 10;
constexpr double kRate = 64;

// Of each batch 16 ids come twice, and 8 are those of the batches before.
int64_t id_of(int64_t row, int64_t rows) {
  const int64_t step = row / kBatch, place = row % kBatch % 48;
  return (place * 33'331 + (place < 8 ? 0 : step * 1'000'003)) % rows;
}

// Rows begin at 0 and are drawn to 1: a row that c of a batch's rows ask for comes nearer by 2 rate c / (8 batch).
double distance_from_formula(Model& model, int64_t rows) {
  std::map<int64_t, double> left;
  for (int64_t step = 0; step < kSteps; ++step) {
    std::map<int64_t, int64_t> counts;
    for (int64_t i = 0; i < kBatch; ++i) ++counts[id_of(step * kBatch + i, rows)];
    for (const auto& [id, count] : counts) {
      const double factor = 1 - 2 * kRate * static_cast<double>(count) / (kRow * kBatch);
      left[id] = (left.count(id) ? left[id] : 1) * factor;
    }
  }
  const Tensor table = model.weights()[0].variable().value;
  double most = 0;
  for (const auto& [id, distance] : left)
    most = std::max(most, (table[id] - (1 - distance)).abs().max().item<double>());
  const double others = table.count_nonzero().item<double>() - static_cast<double>(left.size()) * kRow;
  return others == 0 ? most : 1e9;
}

void train(const std::string& mode, int64_t rows) {
  std::optional<distribute::ProcessGroup> group;
  if (mode == "sync") group = distribute::init_process_group();
  Model model = Sequential(
      {layers::Input({1}), layers::Embedding(rows, kRow, {.embeddings_initializer = "zeros"}), layers::Flatten()});
  model.compile({.optimizer = optimizers::SGD({.learning_rate = kRate}),
                 .loss = "mse",
                 .strategy = distribute::ParameterServer({.group = group, .workers = {"cpu:0"}, .mode = mode})});
  Tensor ids = at::empty({kSteps * kBatch, 1}, at::kLong);
  for (int64_t row = 0; row < ids.size(0); ++row) ids[row][0] = id_of(row, rows);
  const auto history = model.fit(ids, at::ones({ids.size(0), kRow}),
                                 {.batch_size = kBatch, .epochs = 1, .verbose = 0, .shuffle = false});
  std::printf("sent %lld bytes\n", static_cast<long long>(history.bytes_sent(0)));
  std::printf("distance from the formula %g\n", distance_from_formula(model, rows));
}

void say_memory() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmHWM:")) std::printf("memory at most%s\n", line.substr(6).c_str());
  }
}

}  // namespace

int main(int argc, char** argv) try {
  const std::string mode = argc > 1 ? argv[1] : "sync";
  const int64_t rows = argc > 2 ? std::stoll(argv[2]) : 1000;
  const auto self = cluster::who_am_i(cluster::Environment());
  if (self.role == cluster::Role::server) {
    servers::serve({.address = servers::own_server_address(self), .key = servers::job_key_of(cluster::Environment())});
  } else {
    train(mode, rows);
  }
  say_memory();
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "error: %s\n", error.what());
  return 1;
}
