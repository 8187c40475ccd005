// One step against the formulas in double precision, and the way back against LibTorch's autograd of them.
#include "tandem/kernels/gru_step.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include "tandem/core/random.h"
#include "tandem/testing/closeness.h"

namespace tandem::kernels {
namespace {

using tandem::testing::difference;

at::Tensor drawn_for_gru(const Shape& shape, uint64_t key) { return RandomStream(key).normal(shape); }

at::Tensor gru_formula(const at::Tensor& x, const at::Tensor& inner, const at::Tensor& before) {
  const auto a = x.chunk(3, 1), b = inner.chunk(3, 1);
  const at::Tensor z = at::sigmoid(a[0] + b[0]), r = at::sigmoid(a[1] + b[1]);
  return z * before + (1 - z) * at::tanh(a[2] + r * b[2]);
}

void expect_gru_step(int64_t rows, int64_t units, bool masked) {
  SCOPED_TRACE(::testing::Message() << rows << " rows, " << units << " units, masked " << masked);
  const at::Tensor x = drawn_for_gru({rows, 3 * units}, 1) * 2, inner = drawn_for_gru({rows, 3 * units}, 2);
  const at::Tensor before = drawn_for_gru({rows, units}, 3), given = drawn_for_gru({rows, units}, 4);
  const at::Tensor later = drawn_for_gru({rows, units}, 5);
  const at::Tensor counts = masked ? drawn_for_gru({rows}, 7) > 0 : at::ones({rows}, at::kBool);
  const bool* mask = masked ? counts.const_data_ptr<bool>() : nullptr;

  const auto leaf = [](const at::Tensor& t) { return t.to(at::kDouble).requires_grad_(true); };
  const at::Tensor a = leaf(x), b = leaf(inner), h0 = leaf(before);
  const at::Tensor h = at::where(counts.unsqueeze(1), gru_formula(a, b, h0), h0);
  (h * (given + later)).sum().backward();

  at::Tensor gates = x.clone(), inner_h = at::zeros_like(before), got = at::empty_like(before);
  gru_step({rows, units, gates.mutable_data_ptr<float>(), inner.const_data_ptr<float>(), before.const_data_ptr<float>(),
            mask, inner_h.mutable_data_ptr<float>(), got.mutable_data_ptr<float>()});
  EXPECT_EQ(difference(got, h, 2e-6), "");

  at::Tensor dh = later.clone(), dx = at::full_like(x, 99), dinner = at::full_like(x, 99);
  gru_step_backward({rows, units, gates.const_data_ptr<float>(), inner_h.const_data_ptr<float>(),
                     before.const_data_ptr<float>(), mask, given.const_data_ptr<float>(), dh.mutable_data_ptr<float>(),
                     dx.mutable_data_ptr<float>(), dinner.mutable_data_ptr<float>()});
  EXPECT_EQ(difference(dx, a.grad(), 4e-6), "");
  EXPECT_EQ(difference(dinner, b.grad(), 4e-6), "");
  EXPECT_EQ(difference(dh, h0.grad(), 4e-6), "");
}

TEST(GruStep, IsItsFormulaForwardAndBackward) {
  for (const bool masked : {false, true}) {
    expect_gru_step(1, 1, masked);
    expect_gru_step(5, 3, masked);
    expect_gru_step(7, 37, masked);    // does not fill vectors
    expect_gru_step(600, 64, masked);  // several threads
  }
}

}  // namespace
}  // namespace tandem::kernels
