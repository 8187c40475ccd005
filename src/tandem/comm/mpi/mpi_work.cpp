#include "tandem/comm/mpi/mpi_work.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include "tandem/core/error.h"

namespace tandem::comm {

bool MpiWork::isCompleted() {
  if (!ended_ && session_.test(request_)) take_result();
  return ended_;
}

bool MpiWork::wait(std::chrono::milliseconds limit) {
  if (ended_) return true;
  if (!session_.wait(request_, limit, [this] { look(); }))
    throw PeerError(c10::str("no answer within ", static_cast<double>(limit.count()) / 1000, " s"));
  take_result();
  return true;
}

void MpiWork::look() const {
  if (store_->check({kMpiClosed})) throw PeerError("another rank has ended its part");
}

void MpiWork::take_result() {
  ended_ = true;
  if (target_.defined()) target_.copy_(held_.back());
  held_.clear();
}

}  // namespace tandem::comm
