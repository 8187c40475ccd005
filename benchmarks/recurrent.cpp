// LSTM and GRU, forward and backward, beside torch::nn::LSTM and GRU (what PyTorch's modules run) on the same cores, in
// turn: milliseconds a pass, and the ratio pair by pair (above 1: Tandem is faster).
//     recurrent_benchmark [pairs [rows steps features units]]      prints one JSON line a layer
#include <tandem/tandem.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <vector>

using namespace tandem;
using namespace tandem::layers;

namespace {

struct Sizes {
  int64_t rows = 64, steps = 28, features = 64, units = 256;
};

double milliseconds(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// One forward and backward pass with gradients of all weights, as a first layer has them.
template <class Call>
std::function<void()> pass(std::vector<Tensor> weights, Call call) {
  return [=] {
    for (auto w : weights) w.mutable_grad().reset();
    call().sum().backward();
  };
}

std::function<void()> ours(const LayerHandle& layer, const Tensor& x) {
  layer(x);  // builds
  std::vector<Tensor> weights;
  for (const auto& w : layer.weights()) weights.push_back(w.variable().value.set_requires_grad(true));
  return pass(weights, [=] { return layer(x); });
}

template <class Module>
std::function<void()> pytorchs(Module module, const Tensor& x) {
  return pass(module->parameters(), [=] { return std::get<0>(Module(module)->forward(x)); });
}

void compare(const char* name, const std::function<void()>& tandem, const std::function<void()>& pytorch, int pairs) {
  std::vector<double> a, b, ratios;
  for (int warm_up = 0; warm_up < 3; ++warm_up) tandem(), pytorch();
  for (int pair = 0; pair < pairs; ++pair) {
    a.push_back(milliseconds(tandem));
    b.push_back(milliseconds(pytorch));
    ratios.push_back(b.back() / a.back());
  }
  std::printf("{\"layer\": \"%s\", \"tandem_ms\": %.3f, \"pytorch_ms\": %.3f, \"ratio\": %.3f}\n", name, median(a),
              median(b), median(ratios));
}

}  // namespace

int main(int argc, char** argv) {
  const int pairs = argc > 1 ? std::atoi(argv[1]) : 25;
  Sizes s;
  if (argc > 5) s = {std::atoll(argv[2]), std::atoll(argv[3]), std::atoll(argv[4]), std::atoll(argv[5])};
  const Tensor x = torch::randn({s.rows, s.steps, s.features});
  compare("LSTM", ours(LSTM(s.units, {.return_sequences = true}), x),
          pytorchs(torch::nn::LSTM(torch::nn::LSTMOptions(s.features, s.units).batch_first(true)), x), pairs);
  compare("GRU", ours(GRU(s.units, {.return_sequences = true}), x),
          pytorchs(torch::nn::GRU(torch::nn::GRUOptions(s.features, s.units).batch_first(true)), x), pairs);
  return 0;
}
