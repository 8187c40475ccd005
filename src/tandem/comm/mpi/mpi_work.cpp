#include "tandem/comm/mpi/mpi_work.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include "tandem/core/error.h"
#include "tandem/core/steady_seconds.h"

namespace tandem::comm {

bool MpiWork::ended() {
  if (!ended_ && session_.test(request_)) take_result();
  return ended_;
}

bool MpiWork::wait(std::chrono::milliseconds limit) {
  if (ended_) return true;
  if (session_.wait(request_, limit)) {
    take_result();
    return true;
  }
  parted_ = store_->check({kMpiClosed});
  if (parted_) throw PeerError("another rank has ended its part");
  throw PeerError(c10::str("no answer within ", seconds_of(limit), " s"));
}

void MpiWork::take_result() {
  ended_ = true;
  if (target_.defined()) target_.copy_(held_.back());
  held_.clear();
}

}  // namespace tandem::comm
