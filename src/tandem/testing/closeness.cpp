#include "tandem/testing/closeness.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

namespace tandem::testing {

std::string difference(const at::Tensor& got, const at::Tensor& want, double tolerance) {
  if (!got.defined() || !want.defined()) return got.defined() == want.defined() ? "" : "one of the two is undefined";
  if (got.sizes() != want.sizes()) return c10::str("sizes ", got.sizes(), ", must be ", want.sizes());
  if (want.numel() == 0) return "";
  const auto g = got.detach().to(at::kDouble).reshape(-1), w = want.detach().to(at::kDouble).reshape(-1);
  const auto same = at::isclose(g, w, tolerance, tolerance, /*equal_nan=*/true);
  if (same.all().item<bool>()) return "";
  const auto excess = at::where(same, at::zeros_like(g), (g - w).abs() / (1 + w.abs())).nan_to_num(1e300, 1e300);
  const auto at = excess.argmax().item<int64_t>();
  return c10::str("element ", at, " of ", want.sizes(), " is ", g[at].item<double>(), ", must be ",
                  w[at].item<double>(), " (", (~same).sum().item<int64_t>(), " differ)");
}

}  // namespace tandem::testing
