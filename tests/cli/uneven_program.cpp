// A module trained by processes that have unequal numbers of batches, each its own files:
//     uneven_program         prints a number of the weights on each rank
//     uneven_program boom    rank 1 throws in its third step
#include <tandem/tandem.h>

#include <cstdio>

using namespace tandem;

struct NetImpl : torch::nn::Module {
  NetImpl() {
    first = register_module("first", torch::nn::Linear(8, 16));
    norm = register_module("norm", distribute::SyncBatchNorm(16));
    output = register_module("output", torch::nn::Linear(16, 1));
  }
  Tensor forward(const Tensor& x) { return output(torch::relu(norm(first(x)))); }
  torch::nn::Linear first{nullptr}, output{nullptr};
  distribute::SyncBatchNorm norm{nullptr};
};
TORCH_MODULE(Net);

int main(int argc, char**) try {
  const bool throws = argc > 1;
  const auto group = distribute::init_process_group({.limit_seconds = 20});
  torch::manual_seed(3);
  std::vector<Dataset> files;
  for (const int64_t rows : {30, 20, 12, 5}) {
    const auto x = torch::randn({rows, 8});
    files.push_back(data::TensorDataset(x, x.sum(1, true)));
  }
  const auto rows = data::concatenate(files);
  data::DataLoader loader(rows, {.batch_size = 4, .sampler = data::shard(rows, group, {.by = "file"})});
  distribute::check_shards(loader, group);

  torch::manual_seed(group.rank());
  Net net;
  distribute::convert_sync_batchnorm(net, group);
  distribute::DistributedDataParallel<Net> model(net, group, {.bucket_bytes = 64});
  torch::optim::Adam optimizer(model.parameters(), 1e-2);
  for (int64_t epoch = 0; epoch < 3; ++epoch) {
    int64_t step = 0;
    model.join(optimizer, [&] {
      for (auto [x, y] : loader.epoch(epoch)) {
        if (throws && group.rank() == 1 && step == 2) throw std::runtime_error("boom");
        optimizer.zero_grad();
        torch::mse_loss(model(x), y).backward();
        optimizer.step();
        ++step;
      }
    });
    const auto receipt = distribute::check_receipt(loader, group);
    std::printf("epoch %d: %d rows, %d steps\n", static_cast<int>(epoch), static_cast<int>(receipt.rows),
                static_cast<int>(step));
  }
  model.check_alike();
  double sum = 0;
  for (const auto& p : model.parameters()) sum += p.square().sum().item<double>();
  std::printf("weights %.9f\n", sum);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return dynamic_cast<const PeerError*>(&error) ? 4 : 1;
}
