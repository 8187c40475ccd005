#include "tandem/distribution/gathered.h"

#include <ATen/ATen.h>

namespace tandem::distribute {

std::vector<Tensor> gathered(comm::Communicator& ranks, const Tensor& tensor) {
  const Tensor part = tensor.detach().contiguous().view({-1});
  Tensor whole = at::empty({ranks.world_size() * part.numel()}, part.options());
  ranks.all_gather(part, whole);
  std::vector<Tensor> all;
  for (int64_t r = 0; r < ranks.world_size(); ++r)
    all.push_back(whole.narrow(0, r * part.numel(), part.numel()).view(tensor.sizes()));
  return all;
}

}  // namespace tandem::distribute
