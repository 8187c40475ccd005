// Batches reach the GPU in their order and whole, by way of buffers that are used again.
#include <ATen/ATen.h>

#include "check.h"
#include "stand_in.h"
#include "tandem/distribution/device_feed.h"

namespace tandem::testing {
namespace {

// Row r of batch n holds n * 1000 + r.
data::Batch batch(int64_t n, int64_t rows, bool weighted) {
  const Tensor numbers = at::arange(rows) + n * 1000;
  data::Batch made{numbers.to(at::kFloat).unsqueeze(1).repeat({1, 5}), {numbers}, {}};
  if (weighted) made.weights = {numbers.to(at::kFloat) / 2, Tensor(), numbers.to(at::kFloat) / 3};
  return made;
}

bool equal(const data::Batch& got, const data::Batch& want) {
  return got.x.size() == 1 && got.y.size() == 1 && !got.x[0].is_cpu() && at::equal(got.x[0].cpu(), want.x[0]) &&
         at::equal(got.y[0].cpu(), want.y[0]) && got.weighted() == want.weighted() &&
         (!want.weighted() || (at::equal(got.weights_of(0).cpu(), want.weights_of(0)) && !got.weights_of(1).defined() &&
                               at::equal(got.weights_of(2).cpu(), want.weights_of(2))));
}

int run() {
  use_gpu_or_stand_in();
  Checks check;
  const DeviceStream stream(torch_device(Device("gpu:0/2")));
  const StreamScope scope(stream);
  for (const bool weighted : {false, true}) {
    distribute::DeviceFeed feed(stream.device());
    const int64_t rows[] = {64, 64, 64, 64, 7, 64, 70, 64};
    bool right = true;
    std::vector<const void*> places;
    Tensor sum = at::zeros({}, at::TensorOptions(stream.device()).dtype(at::kFloat));
    double want = 0;
    feed.begin(batch(0, rows[0], weighted));
    for (int64_t n = 0; n < 8; ++n) {
      const auto now = feed.take();
      places.push_back(now.x[0].const_data_ptr());
      sum.add_(now.x[0].sum());  // still in progress on a GPU when the next batch sets out
      if (n < 7) {
        auto next = batch(n + 1, rows[n + 1], weighted);
        feed.begin(next);
        next.x[0].zero_();  // the caller's from then on
      }
      right = right && equal(now, batch(n, rows[n], weighted));
      want += batch(n, rows[n], weighted).x[0].sum().item<double>();
    }
    const std::string what = weighted ? "with weights" : "without weights";
    check.that(right, "batches arrive in their order, " + what);
    check.that(sum.item<double>() == want, "and are not overwritten while they are used, " + what);
    check.that(places[0] != places[1] && places[0] == places[2] && places[1] == places[3] && places[2] == places[4],
               "two buffers take turns, a short batch included, " + what);
    check.that(feed.waiting() == 0, "none is left over, " + what);
  }
  const auto page_locked = [](Tensor t) { return t.pin_memory(); };
  distribute::DeviceFeed feed(stream.device());
  auto own = batch(3, 16, false);
  own.x[0] = page_locked(own.x[0]);
  feed.begin(own);
  check.that(equal(feed.take(), batch(3, 16, false)), "a batch that is page-locked itself arrives, too");
  return check.status();
}

}  // namespace
}  // namespace tandem::testing

int main() { return tandem::testing::run(); }
