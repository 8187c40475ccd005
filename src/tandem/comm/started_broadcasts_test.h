#pragma once
#include <ATen/core/Tensor.h>
#include <ATen/ops/full.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

#include <vector>

#include "tandem/comm/communicator.h"

namespace tandem::comm {

/// Broadcasts that are started return before their root has come: it begins only when it has heard from all others that
/// theirs are on their way.
inline void expect_broadcasts_go_on(Communicator& own) {
  const int64_t me = own.rank(), ranks = own.world_size();
  for (const int64_t count : {1, 300'000}) {
    for (int64_t root = 0; root < ranks; ++root) {
      std::vector<Tensor> all;
      std::vector<Pending> pending;
      const auto begin = [&] {
        for (int64_t i = 0; i < 3; ++i) {
          all.push_back(at::full({count}, static_cast<double>(10 * me + i)));
          pending.push_back(own.broadcast_async(all.back(), root));
        }
        all.push_back(at::full({count}, static_cast<double>(me)));
        pending.push_back(own.all_reduce_async(all.back()));
      };
      Tensor word = at::zeros({1});
      if (me != root) {
        begin();
        own.send(word, root, 3);
      } else {
        for (int64_t r = 0; r < ranks; ++r) {
          if (r != me) own.recv(word, r, 3);
        }
        begin();
      }
      pending[1] = Pending();  // let go of
      for (auto& one : pending) one.wait();
      for (const int64_t i : {0, 2})
        EXPECT_TRUE(all[static_cast<std::size_t>(i)].eq(static_cast<double>(10 * root + i)).all().item<bool>()) << i;
      EXPECT_TRUE(all[3].eq(static_cast<double>(ranks * (ranks - 1)) / 2).all().item<bool>());
    }
  }
  own.barrier();  // before what was let go of is gone
}

}  // namespace tandem::comm
