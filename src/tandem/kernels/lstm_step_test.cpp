// One step against the formulas in double precision, and the way back against LibTorch's autograd of them.
#include "tandem/kernels/lstm_step.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include "tandem/core/random.h"
#include "tandem/testing/closeness.h"

namespace tandem::kernels {
namespace {

using tandem::testing::difference;

at::Tensor drawn_for_lstm(const Shape& shape, uint64_t key) { return RandomStream(key).normal(shape); }

struct LstmFormula {
  at::Tensor c, h;
};

LstmFormula lstm_formula(const at::Tensor& sums, const at::Tensor& c_before) {
  const auto gates = sums.chunk(4, 1);
  const at::Tensor c = at::sigmoid(gates[1]) * c_before + at::sigmoid(gates[0]) * at::tanh(gates[2]);
  return {c, at::sigmoid(gates[3]) * at::tanh(c)};
}

void expect_lstm_step(int64_t rows, int64_t units, bool masked) {
  SCOPED_TRACE(::testing::Message() << rows << " rows, " << units << " units, masked " << masked);
  const at::Tensor sums = drawn_for_lstm({rows, 4 * units}, 1) * 2, c_before = drawn_for_lstm({rows, units}, 2);
  const at::Tensor h_before = drawn_for_lstm({rows, units}, 3), given = drawn_for_lstm({rows, units}, 4);
  const at::Tensor later_h = drawn_for_lstm({rows, units}, 5), later_c = drawn_for_lstm({rows, units}, 6);
  const at::Tensor counts = masked ? drawn_for_lstm({rows}, 7) > 0 : at::ones({rows}, at::kBool);
  const bool* mask = masked ? counts.const_data_ptr<bool>() : nullptr;

  const at::Tensor z = sums.to(at::kDouble).requires_grad_(true), c0 = c_before.to(at::kDouble).requires_grad_(true);
  const auto want = lstm_formula(z, c0);
  const at::Tensor keep = counts.unsqueeze(1);
  const at::Tensor h = at::where(keep, want.h, h_before.to(at::kDouble)), c = at::where(keep, want.c, c0);
  (h * (given + later_h) + c * later_c).sum().backward();

  at::Tensor gates = sums.clone(), got_c = at::empty_like(c_before), got_h = at::empty_like(c_before);
  lstm_step({rows, units, gates.mutable_data_ptr<float>(), c_before.const_data_ptr<float>(),
             h_before.const_data_ptr<float>(), mask, got_c.mutable_data_ptr<float>(), got_h.mutable_data_ptr<float>()});
  EXPECT_EQ(difference(got_c, c, 2e-6), "");
  EXPECT_EQ(difference(got_h, h, 2e-6), "");

  at::Tensor dh = later_h.clone(), dc = later_c.clone(), dz = at::full_like(sums, 99);
  lstm_step_backward({rows, units, gates.const_data_ptr<float>(), c_before.const_data_ptr<float>(),
                      got_c.const_data_ptr<float>(), mask, given.const_data_ptr<float>(), dh.mutable_data_ptr<float>(),
                      dc.mutable_data_ptr<float>(), dz.mutable_data_ptr<float>()});
  EXPECT_EQ(difference(dz, z.grad(), 4e-6), "");
  EXPECT_EQ(difference(dc, c0.grad(), 4e-6), "");
  if (masked) {
    EXPECT_EQ(difference(dh, at::where(keep, 0.0, (given + later_h).to(at::kDouble)), 1e-6), "");
  }
}

TEST(LstmStep, IsItsFormulaForwardAndBackward) {
  for (const bool masked : {false, true}) {
    expect_lstm_step(1, 1, masked);
    expect_lstm_step(5, 3, masked);
    expect_lstm_step(7, 37, masked);    // does not fill vectors
    expect_lstm_step(600, 64, masked);  // several threads
  }
}

}  // namespace
}  // namespace tandem::kernels
