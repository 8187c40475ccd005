#include "tandem/servers/row_gradient.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cstring>

namespace tandem::servers {
namespace {

// Calls row(place in a or -1, place in b or -1) for each row that one of them has.
template <class Row>
void for_each_row(const RowGradient& a, const RowGradient& b, const Row& row) {
  const auto *at = a.rows.const_data_ptr<int64_t>(), *bt = b.rows.const_data_ptr<int64_t>();
  int64_t i = 0, k = 0;
  while (i < a.count() || k < b.count()) {
    const bool in_a = i < a.count() && (k == b.count() || at[i] <= bt[k]);
    const bool in_b = k < b.count() && (i == a.count() || bt[k] <= at[i]);
    row(in_a ? i : -1, in_b ? k : -1);
    i += in_a;
    k += in_b;
  }
}

RowGradient sum_of(const std::vector<RowGradient>& addends, std::size_t first, std::size_t last) {
  if (last - first == 1) return addends[first];
  const auto middle = first + (last - first + 1) / 2;
  return add(sum_of(addends, first, middle), sum_of(addends, middle, last));
}

}  // namespace

RowGradient RowGradient::part(int64_t begin, int64_t end) const {
  const auto* first = rows.const_data_ptr<int64_t>();
  const auto from = std::lower_bound(first, first + count(), begin) - first;
  const auto to = std::lower_bound(first + from, first + count(), end) - first;
  return {rows.narrow(0, from, to - from) - begin, values.narrow(0, from, to - from)};
}

RowGradient add(const RowGradient& a, const RowGradient& b) {
  if (a.count() == 0) return b;
  if (b.count() == 0) return a;
  const int64_t elements = a.values.size(1);
  int64_t count = 0;
  for_each_row(a, b, [&](int64_t, int64_t) { ++count; });
  RowGradient sum{at::empty({count}, at::kLong), at::empty({count, elements}, at::kFloat)};
  auto* rows = sum.rows.mutable_data_ptr<int64_t>();
  auto* to = sum.values.mutable_data_ptr<float>();
  const auto *av = a.values.const_data_ptr<float>(), *bv = b.values.const_data_ptr<float>();
  const auto bytes = static_cast<std::size_t>(elements) * sizeof(float);
  for_each_row(a, b, [&](int64_t i, int64_t k) {
    *rows++ = i >= 0 ? a.rows.const_data_ptr<int64_t>()[i] : b.rows.const_data_ptr<int64_t>()[k];
    std::memcpy(to, i >= 0 ? av + i * elements : bv + k * elements, bytes);
    if (i >= 0 && k >= 0) {
      for (int64_t e = 0; e < elements; ++e) to[e] += bv[k * elements + e];
    }
    to += elements;
  });
  return sum;
}

RowGradient sum_along_tree(const std::vector<RowGradient>& addends) { return sum_of(addends, 0, addends.size()); }

void write_all_rows(const RowGradient& gradient, Tensor all) {
  all.zero_();
  if (gradient.count() > 0) all.view({-1, gradient.values.size(1)}).index_copy_(0, gradient.rows, gradient.values);
}

}  // namespace tandem::servers
