// A metric as a user writes it: states that add up over devices, and a result made from their sum.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "tandem/metrics/metric.h"

namespace tandem {
namespace {

/// The share of positives that are found.
class FoundShare : public Metric {
 public:
  FoundShare() { set_name("found"); }
  void update(const Tensor& y_true, const Tensor& y_pred, const Tensor& sample_weight) override {
    Tensor positive = y_true.to(at::kDouble);
    if (sample_weight.defined()) positive = positive * sample_weight;
    found_ += (positive * y_pred.gt(0.5)).sum().cpu();
    all_ += positive.sum().cpu();
  }
  double result() const override {
    const double all = all_.item<double>();
    return all == 0 ? 0 : found_.item<double>() / all;
  }
  std::vector<Tensor> states() const override { return {found_, all_}; }
  std::shared_ptr<Metric> replicate() const override { return std::make_shared<FoundShare>(); }
  Direction direction() const override { return Direction::kUp; }
  std::string class_name() const override { return "FoundShare"; }

 private:
  Tensor found_ = at::zeros({}, at::kDouble), all_ = at::zeros({}, at::kDouble);
};

TEST(CustomMetric, ItsReplicasMergeByTheirStates) {
  const Handle<Metric> handle = std::make_shared<FoundShare>();
  const auto whole = handle.get();
  const auto first = whole->replicate(), second = whole->replicate();
  const Tensor y = at::tensor({1, 1, 1, 1, 0}), p = at::tensor({0.9f, 0.1f, 0.1f, 0.1f, 0.9f});
  whole->update(y, p, {});
  first->update(y.slice(0, 0, 1), p.slice(0, 0, 1), {});
  second->update(y.slice(0, 1), p.slice(0, 1), {});
  EXPECT_EQ(first->result(), 1);
  EXPECT_EQ(second->result(), 0);
  first->merge(*second);
  EXPECT_EQ(first->result(), 0.25);  // not 0.5, the mean of the results
  EXPECT_EQ(whole->result(), 0.25);
  first->reset();
  EXPECT_EQ(first->result(), 0);
  EXPECT_EQ(first->direction(), Metric::Direction::kUp);
}

}  // namespace
}  // namespace tandem
