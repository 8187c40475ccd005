// What holds for every optimizer of the catalog: the pass over flat memory and the tensor operations are one rule.
#include "tandem/optimizers/flat_optimizer.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include "tandem/optimizers/adadelta.h"
#include "tandem/optimizers/adagrad.h"
#include "tandem/optimizers/adam.h"
#include "tandem/optimizers/adamax.h"
#include "tandem/optimizers/adamw.h"
#include "tandem/optimizers/allocation_counter_test.h"
#include "tandem/optimizers/ftrl.h"
#include "tandem/optimizers/lion.h"
#include "tandem/optimizers/nadam.h"
#include "tandem/optimizers/rmsprop.h"
#include "tandem/optimizers/sgd.h"
#include "tandem/testing/closeness.h"

namespace tandem {
namespace {

struct FlatCase {
  const char* name;
  std::shared_ptr<Optimizer> optimizer;
  /// How much more it makes of rounding: Ftrl divides differences by the rate.
  double amplifies = 1;
};

const std::vector<FlatCase>& flat_cases() {
  using namespace optimizers;
  static const std::vector<FlatCase> cases{
      {"sgd", SGD({.weight_decay = 0.1}).get()},
      {"sgd_momentum", SGD({.momentum = 0.9, .weight_decay = 0.1}).get()},
      {"sgd_nesterov", SGD({.momentum = 0.9, .nesterov = true}).get()},
      {"rmsprop", RMSprop().get()},
      {"rmsprop_momentum", RMSprop({.momentum = 0.9, .weight_decay = 0.1}).get()},
      {"rmsprop_centered", RMSprop({.epsilon = 1e-3, .centered = true}).get()},
      {"rmsprop_centered_momentum", RMSprop({.momentum = 0.5, .epsilon = 1e-3, .centered = true}).get()},
      {"adam", Adam().get()},
      {"adam_amsgrad", Adam({.beta_2 = 0.7, .amsgrad = true, .weight_decay = 0.1}).get()},
      {"adamw", AdamW({.epsilon = 1e-3}).get()},
      {"adagrad", Adagrad({.weight_decay = 0.1}).get()},
      {"adadelta", Adadelta({.epsilon = 1e-3, .weight_decay = 0.1}).get()},
      {"adamax", Adamax({.beta_2 = 0.7, .weight_decay = 0.1}).get()},
      {"lion", Lion({.weight_decay = 0.1}).get()},
      {"nadam", Nadam({.epsilon = 1e-3, .weight_decay = 0.1}).get()},
      {"ftrl", Ftrl({.l1_regularization_strength = 0.01, .beta = 0.1, .weight_decay = 0.1}).get(), 10},
      {"ftrl_power", Ftrl({.learning_rate_power = -0.7, .l2_shrinkage_regularization_strength = 0.1}).get(), 10},
      {"sgd_averages",
       SGD({.momentum = 0.9, .use_ema = true, .ema_momentum = 0.7, .ema_overwrite_frequency = 2}).get()},
  };
  return cases;
}

/// What four updates with other gradients each make of a weight and its slots, all in the type, memory order and shape
/// that `lay_out` gives them.
template <class LayOut>
std::vector<Tensor> after_updates(const Optimizer& optimizer, const Tensor& weight, const Tensor& gradients,
                                  const LayOut& lay_out) {
  Tensor w = lay_out(weight);
  std::vector<Tensor> state;
  for (std::size_t i = 0; i < optimizer.slots().size(); ++i)
    state.push_back(lay_out(at::full_like(weight, optimizer.initial_slot(i))));
  for (int64_t step = 0; step < gradients.size(0); ++step)
    optimizer.update(w, lay_out(gradients[step]), state, step, 0.01 * static_cast<double>(step + 1));
  state.push_back(w);
  return state;
}

class EveryFlatOptimizer : public ::testing::TestWithParam<FlatCase> {
 protected:
  const Optimizer& optimizer() const { return *GetParam().optimizer; }
};

TEST_P(EveryFlatOptimizer, DoesTheSameInOnePassAsByTensorOperations) {
  // 1500 is no multiple of a strip; enough for several.
  const Tensor weight = at::randn({1500}), gradients = at::randn({4, 1500}) * 0.3;
  const auto flat = [](const Tensor& t) { return t.clone(); };
  const auto flat64 = [](const Tensor& t) { return t.to(at::kDouble).clone(); };
  const auto image = [](const Tensor& t) { return t.view({3, 4, 5, 25}); };
  const auto channels_last = [&](const Tensor& t) {
    return image(t.clone()).contiguous(at::MemoryFormat::ChannelsLast);
  };
  const auto gaps = [](const Tensor& t) { return at::stack({t, t}, 1).select(1, 0); };
  const auto gaps64 = [](const Tensor& t) { return at::stack({t, t}, 1).to(at::kDouble).select(1, 0); };
  const auto half = [](const Tensor& t) { return t.to(at::kBFloat16); };

  const auto want = after_updates(optimizer(), weight, gradients, gaps64);
  const auto compare = [&](const char* what, const auto& lay_out, double tolerance) {
    const auto got = after_updates(optimizer(), weight, gradients, lay_out);
    ASSERT_EQ(got.size(), want.size());
    for (std::size_t i = 0; i < got.size(); ++i) {
      EXPECT_EQ(testing::difference(got[i].to(at::kDouble).reshape({-1}), want[i].contiguous(),
                                    tolerance * GetParam().amplifies),
                "")
          << what << ", tensor " << i;
    }
  };
  compare("flat", flat, 2e-6);
  compare("flat float64", flat64, 1e-12);
  compare("channels last", channels_last, 2e-6);
  compare("with gaps", gaps, 2e-6);
  compare("bfloat16", half, 0.1);
}

TEST_P(EveryFlatOptimizer, GivesTheSameBitsWithAnyNumberOfThreads) {
  const Tensor weight = at::randn({200'003}), gradients = at::randn({4, 200'003});
  const int threads = at::get_num_threads();
  std::vector<std::vector<Tensor>> results;
  for (const int n : {1, 2, 3}) {
    at::set_num_threads(n);
    results.push_back(after_updates(optimizer(), weight, gradients, [](const Tensor& t) { return t.clone(); }));
  }
  at::set_num_threads(threads);
  for (std::size_t i = 0; i < results[0].size(); ++i) {
    EXPECT_TRUE(at::equal(results[0][i], results[1][i])) << i;
    EXPECT_TRUE(at::equal(results[0][i], results[2][i])) << i;
  }
}

TEST_P(EveryFlatOptimizer, LeavesThePaddingBetweenWeightsAtZero) {
  const auto state =
      after_updates(optimizer(), at::zeros({40}), at::zeros({4, 40}), [](const Tensor& t) { return t.clone(); });
  EXPECT_EQ(state.back().count_nonzero().item<int64_t>(), 0) << state.back();
}

TEST_P(EveryFlatOptimizer, UpdatesInPlaceWithoutAllocating) {
  Tensor weight = at::randn({100'000});
  const Tensor gradient = at::randn({100'000});
  std::vector<Tensor> slots;
  for (std::size_t i = 0; i < optimizer().slots().size(); ++i) slots.push_back(at::zeros({100'000}));
  const void* const memory = weight.data_ptr();
  EXPECT_EQ(tensor_allocations([&] { optimizer().update(weight, gradient, slots, 0, 0.1); }), 0);
  EXPECT_EQ(weight.data_ptr(), memory);
  EXPECT_EQ(tensor_allocations([] { at::empty({8}); }), 1);  // the counter does count
}

INSTANTIATE_TEST_SUITE_P(Cases, EveryFlatOptimizer, ::testing::ValuesIn(flat_cases()),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace tandem
