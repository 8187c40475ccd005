#include "tandem/servers/range_gradient.h"

#include <ATen/ATen.h>

namespace tandem::servers {

RangeGradient::RangeGradient(const ServerPlan& plan, int64_t server, bool touched_alone)
    : plan_(plan),
      begin_(plan.server_begin(server)),
      touched_alone_(touched_alone),
      buffer_(at::empty({plan.server_begin(server + 1) - begin_}, at::kFloat)) {}

void RangeGradient::begin(int64_t block) {
  offset_ = end_ = plan_.block_begin(block) - begin_;
  touched_.clear();
}

Tensor RangeGradient::place(int64_t block) {
  const int64_t n = plan_.block_elements(block);
  const Tensor place = buffer_.narrow(0, end_, n);
  end_ += n;
  return place;
}

void RangeGradient::put(int64_t block, const RowGradient& gradient) {
  if (!touched_alone_) return write_all_rows(gradient, place(block));
  const int64_t n = gradient.values.numel();
  touched_.push_back({plan_.block_begin(block) - begin_, gradient.rows, gradient.values.size(1), end_ - offset_,
                      *plan_.table_of(block)});
  buffer_.narrow(0, end_, n).copy_(gradient.values.view({n}));
  end_ += n;
}

}  // namespace tandem::servers
