#include "tandem/layers/recurrent_case_test.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include "tandem/core/mask.h"
#include "tandem/testing/closeness.h"

namespace tandem::testing {

CallResult call_and_go_back(const LayerHandle& layer, const std::vector<Tensor>& inputs, const CallContext& context,
                            const Tensor& mask) {
  WeightMap map;
  std::vector<Tensor> own, leaves;
  for (const auto& w : layer.weights()) {
    own.push_back(w.variable().value.detach().clone().requires_grad_(true));
    map[&w.variable()] = own.back();
  }
  const WeightScope scope(map);
  for (const auto& x : inputs) leaves.push_back(x.detach().clone().requires_grad_(true));
  if (mask.defined()) set_mask(leaves.front(), mask);
  CallResult result;
  Tensor loss;
  uint64_t key = 900;
  for (const auto& output : layer.call_many(leaves, context)) {
    result.outputs.push_back(output.detach());
    const Tensor part = (output * normal_numbers(Shape::of(output.sizes().vec()), key++)).sum();
    loss = loss.defined() ? loss + part : part;
  }
  loss.backward();
  for (const auto& t : leaves) result.inputs.push_back(t.grad());
  for (const auto& t : own) result.weights.push_back(t.grad());
  return result;
}

void expect_equal(const CallResult& got, const CallResult& want, double tolerance) {
  const auto compare = [&](const char* what, const std::vector<Tensor>& a, const std::vector<Tensor>& b) {
    ASSERT_EQ(a.size(), b.size()) << what;
    for (std::size_t i = 0; i < a.size(); ++i) {
      ASSERT_EQ(a[i].defined(), b[i].defined()) << what << " " << i;
      if (!a[i].defined()) continue;
      EXPECT_EQ(difference(a[i], b[i], tolerance), "") << what << " " << i;
    }
  };
  compare("output", got.outputs, want.outputs);
  compare("gradient of input", got.inputs, want.inputs);
  compare("gradient of weight", got.weights, want.weights);
}

}  // namespace tandem::testing
