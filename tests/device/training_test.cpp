// Two virtual devices of one GPU train a network to the weights that the CPU trains it to: batches by DeviceFeed,
// gradients by DeviceGroup, each replica on a stream of its own.
#include <ATen/ATen.h>

#include "check.h"
#include "ranks.h"
#include "stand_in.h"
#include "tandem/distribution/device_feed.h"
#include "tandem/light.h"
#include "tandem/testing/closeness.h"

namespace tandem::testing {
namespace {

constexpr int64_t kRows = 8, kSteps = 5;

Model make_model() {
  using namespace layers;
  return Sequential({Input({8, 8, 3}), Conv2D(6, {3, 3}, {.padding = "same", .activation = "relu"}),
                     MaxPooling2D({2, 2}), Dropout(0.3), Flatten(), Dense(12, {.activation = "relu"}),
                     Dense(4, {.activation = "softmax"})});
}

data::Batch batch(int64_t step) {
  const auto random = RandomStream(11).fold(static_cast<uint64_t>(step));
  const Tensor ids = at::arange(kRows) + step;
  return {random.normal({kRows, 8, 8, 3}), {at::eye(4).index_select(0, ids.remainder(4))}, {}};
}

// One rank's training of its part of each batch; the weights that it ends with.
std::vector<Tensor> train(const Model& model, const c10::Device& device, comm::Communicator* others) {
  auto& network = *model.network();
  const int64_t ranks = others ? others->world_size() : 1, rank = others ? others->rank() : 0;
  const int64_t rows = kRows / ranks, first = rank * rows;
  const auto optimizer = Optimizer::make("adam");
  const auto loss = Loss::make("categorical_crossentropy");
  WeightMap map;
  std::vector<Tensor> weights;
  std::vector<std::vector<Tensor>> slots;
  for (const auto& w : network.trainable_weights()) {
    weights.push_back(w.variable().value.to(device, false, /*copy=*/true).detach().set_requires_grad(true));
    map[&w.variable()] = weights.back();
    slots.emplace_back();
    for (std::size_t s = 0; s < optimizer->slots().size(); ++s)
      slots.back().push_back(at::full_like(weights.back().detach(), optimizer->initial_slot(s)));
  }
  const WeightScope scope(map);
  std::optional<distribute::DeviceFeed> feed;
  if (!device.is_cpu()) feed.emplace(device);
  const auto own = [&](int64_t step) { return batch(step).slice(first, first + rows); };
  if (feed) feed->begin(own(0));
  for (int64_t step = 0; step < kSteps; ++step) {
    const auto now = feed ? feed->take() : own(step);
    if (feed && step + 1 < kSteps) feed->begin(own(step + 1));
    const CallContext context{
        .training = true, .random = RandomStream(5).fold(static_cast<uint64_t>(step)), .first_row = first};
    const CallScope call(context);
    const Tensor out = network.outputs(now.x, context)[0];
    (loss->call(now.y[0], out).sum() / kRows).backward();
    std::vector<Tensor> gradients;
    std::vector<comm::Pending> pending;
    for (auto& w : weights) gradients.push_back(w.grad());
    for (auto& gradient : gradients)
      if (others) pending.push_back(others->all_reduce_async(gradient));
    for (std::size_t i = 0; i < weights.size(); ++i) {
      if (others) pending[i].wait();
      Tensor value = weights[i].detach();
      optimizer->update(value, gradients[i], slots[i], step, 0.01);
      weights[i].mutable_grad() = Tensor();
    }
  }
  std::vector<Tensor> trained;
  for (const auto& w : weights) trained.push_back(w.detach().cpu());
  return trained;
}

int run() {
  use_gpu_or_stand_in();
  Checks check;
  set_random_seed(2);
  const Model model = make_model();
  const auto want = train(model, at::kCPU, nullptr);
  const auto card = torch_device(Device("gpu:0/2"));
  for (const std::size_t ranks : {1, 2}) {
    const std::vector<c10::Device> cards(ranks, card);
    comm::DeviceGroup group(cards, 60);
    std::vector<std::vector<Tensor>> got(ranks);
    const auto thrown = run_on(group, cards, [&](comm::Communicator& rank) {
      got[static_cast<std::size_t>(rank.rank())] = train(model, card, &rank);
    });
    std::string different;
    for (const auto& t : thrown) {
      try {
        if (t) std::rethrow_exception(t);
      } catch (const std::exception& error) {
        different = error.what();
      }
    }
    for (std::size_t r = 0; different.empty() && r < ranks; ++r)
      for (std::size_t i = 0; different.empty() && i < want.size(); ++i)
        different = difference(got[r][i], want[i], 1e-4);
    check.that(different.empty(), std::to_string(ranks) + " virtual devices train as the CPU does " + different);
    for (std::size_t i = 0; ranks == 2 && i < want.size(); ++i)
      check.that(at::equal(got[0][i], got[1][i]), "both have the same bits, weight " + std::to_string(i));
  }
  const Tensor& before = model.network()->trainable_weights()[0].variable().value;
  check.that(!difference(before, want[0], 1e-2).empty(), "and training changed them");
  return check.status();
}

}  // namespace
}  // namespace tandem::testing

int main() { return tandem::testing::run(); }
