// A plain torch::nn module trained by a loop of its own, by one process or by several:
//     example_simple_model                                     one process
//     tandem launch -n 2 -- example_simple_model               two, each with half of the rows; the same for torchrun
//     --no-python example_simple_model EPOCHS                              5 unless told otherwise
#include <tandem/tandem.h>

#include <cstdio>
#include <cstdlib>

using namespace tandem;

struct SimpleModelImpl : torch::nn::Module {
  SimpleModelImpl() {
    hidden = register_module("hidden", torch::nn::Linear(20, 64));
    output = register_module("output", torch::nn::Linear(64, 4));
  }
  Tensor forward(const Tensor& x) { return output(torch::relu(hidden(x))); }

  torch::nn::Linear hidden{nullptr}, output{nullptr};
};
TORCH_MODULE(SimpleModel);

// 1,000 rows of 20 numbers; the class is the place of the largest of the first four.
data::TensorDataset made_up_data() {
  torch::manual_seed(42);
  const auto x = torch::randn({1000, 20});
  return {x, x.slice(1, 0, 4).argmax(1)};
}

double accuracy(distribute::DistributedDataParallel<SimpleModel>& model, const Dataset& test) {
  const torch::NoGradGuard no_gradient;
  model.eval();
  const auto hits = model(test.x()).argmax(1).eq(test.y()).sum().item<double>();
  model.train();
  return hits / static_cast<double>(test.size());
}

int main(int argc, char** argv) try {
  const int epochs = argc > 1 ? std::atoi(argv[1]) : 5;
  const auto group = distribute::init_process_group({.limit_seconds = 20});
  const auto [train, test] = data::split(made_up_data(), {0.8, 0.2}, {.seed = 42});
  torch::manual_seed(group.rank());  // rank 0's weights are everybody's
  distribute::DistributedDataParallel<SimpleModel> model(SimpleModel(), group);
  torch::optim::Adam optimizer(model.parameters(), 1e-3);

  // 32 rows a step in all, so that any number of processes makes the same steps.
  const data::DistributedSampler sampler(train.size(), group, {.seed = 1});
  data::DataLoader loader(train, {.batch_size = 32 / group.world_size(), .sampler = sampler, .workers = 1});
  for (int epoch = 0; epoch < epochs; ++epoch) {
    double sum = 0;
    for (auto [x, y] : loader.epoch(epoch)) {
      optimizer.zero_grad();
      const auto loss = torch::nn::functional::cross_entropy(model(x), y);
      loss.backward();
      optimizer.step();
      sum += loss.item<double>();
    }
    auto mean = torch::tensor(sum / static_cast<double>(loader.batches() * group.world_size()), torch::kDouble);
    group.all_reduce(mean);
    if (group.rank() == 0) {
      std::printf("epoch %d: loss %.4f, test accuracy %.3f\n", epoch + 1, mean.item<double>(), accuracy(model, test));
      std::fflush(stdout);
    }
  }
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return dynamic_cast<const PeerError*>(&error) ? 4 : 1;  // 4: the launcher looks elsewhere for the cause
}
