// One rank of a job that makes each collective of a communicator and compares with formulas: collectives BACKEND
#include <ATen/ATen.h>
#include <tandem/light.h>

#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

#include "tandem/comm/communicator.h"

namespace {

using namespace tandem;
using comm::Communicator;

void expect(bool holds, const std::string& what) {
  if (!holds) throw std::runtime_error(what + " is wrong");
}

// 0 + 1 + ... + (ranks - 1)
double sum_of_ranks(const Communicator& own) {
  return static_cast<double>(own.world_size() * (own.world_size() - 1)) / 2;
}

void add_up(Communicator& own) {
  const auto r = static_cast<double>(own.rank()), n = static_cast<double>(own.world_size());
  for (const auto type :
       {at::kFloat, at::kDouble, at::kHalf, at::kBFloat16, at::kChar, at::kInt, at::kLong, at::kByte}) {
    for (const int64_t size : {0, 1, 7, 100000}) {
      Tensor x = at::full({size}, r + 1, type);
      own.all_reduce(x);
      expect(at::equal(x, at::full({size}, sum_of_ranks(own) + n, type)),
             std::string("all_reduce of ") + c10::toString(type));
      if (size == 0) continue;
      const Tensor whole =
          at::arange(own.world_size(), at::kInt).view({-1, 1}).expand({-1, size}).to(type).contiguous();
      Tensor part = at::empty({1, size}, type);
      own.reduce_scatter(whole, part);
      expect(at::equal(part, at::full({1, size}, n * r, type)),
             std::string("reduce_scatter of ") + c10::toString(type));
    }
  }
  Tensor last = at::arange(24, at::kFloat).view({2, 3, 4}).permute({2, 0, 1});  // dense, in another order
  const Tensor want = last * n;
  own.all_reduce(last);
  expect(at::equal(last, want), "all_reduce of another order");
}

// Many at once, one of them let go of. By MPI another call comes at another place in between on each rank; Gloo counts
// all calls together.
void several_in_progress(Communicator& own, const std::string& backend) {
  const int64_t place = backend == "mpi" ? 5 + own.rank() : 5;
  std::vector<Tensor> all;
  std::vector<comm::Pending> pending;
  for (int64_t i = 0; i < 20; ++i) {
    all.push_back(at::full({1000 * i + 1}, static_cast<double>(own.rank() + i)));
    if (i == place) own.barrier();
    pending.push_back(own.all_reduce_async(all.back(), {.what = "bucket"}));
  }
  pending[3] = comm::Pending();
  while (!pending[19].advance()) {
  }
  for (auto& one : pending) one.wait();
  own.barrier();
  for (int64_t i = 0; i < 20; ++i) {
    const double sum = sum_of_ranks(own) + static_cast<double>(own.world_size() * i);
    if (i != 3) expect(all[static_cast<std::size_t>(i)].eq(sum).all().item<bool>(), "all_reduce_async");
  }
}

// Sums of numbers that rounding makes depend on their order: all ranks must have the same bits.
void same_bits(Communicator& own) {
  at::Generator random = at::detail::createCPUGenerator(static_cast<uint64_t>(own.rank() + 1));
  Tensor x = at::randn({10007}, random, at::kFloat);
  own.all_reduce(x);
  Tensor all = at::empty({own.world_size(), x.numel()});
  own.all_gather(x.view({1, -1}), all);
  for (int64_t r = 0; r < own.world_size(); ++r) expect(at::equal(all[r], x), "the bits of a sum");
}

void move(Communicator& own) {
  const int64_t ranks = own.world_size(), r = own.rank();
  for (const auto type : {at::kFloat, at::kBool, at::kHalf, at::kComplexFloat}) {
    Tensor part = at::full({2, 3}, r % 2, type), whole = at::empty({2 * ranks, 3}, type);
    own.all_gather(part, whole);
    for (int64_t i = 0; i < ranks; ++i)
      expect(at::equal(whole.narrow(0, 2 * i, 2), at::full({2, 3}, i % 2, type)), "all_gather");
  }
  Tensor x = at::full({5}, r);
  own.broadcast(x, ranks - 1);
  expect(at::equal(x, at::full({5}, ranks - 1)), "broadcast");
  if (ranks == 1) return;  // nobody to send to
  const int64_t next = (r + 1) % ranks, before = (r + ranks - 1) % ranks;
  Tensor got = at::zeros({4}, at::kLong), got_too = at::zeros({4}, at::kLong);
  const Tensor message = at::full({4}, r, at::kLong);
  if (r == 0) {
    own.send(message, next, 7);
    own.send(message + 10, next, 8);
  }
  own.recv(got, before, 7);
  own.recv(got_too, before, 8);
  if (r != 0) {
    own.send(message, next, 7);
    own.send(message + 10, next, 8);
  }
  expect(got.eq(before).all().item<bool>() && got_too.eq(before + 10).all().item<bool>(), "recv");
}

void all_of(Communicator& own, const std::string& backend) {
  add_up(own);
  several_in_progress(own, backend);
  same_bits(own);
  move(own);
}

}  // namespace

int main(int, char** argv) try {
  const auto group = distribute::init_process_group({.backend = argv[1], .limit_seconds = 30});
  auto& own = group.communicator();
  all_of(own, argv[1]);
  std::vector<int64_t> others;  // all but the first, backwards
  for (int64_t r = own.world_size() - 1; r > 0; --r) others.push_back(r);
  if (own.rank() > 0) all_of(*own.subgroup(others), argv[1]);
  group.barrier();
  expect(group.broadcast_object(own.rank() == 0 ? "from 0" : "") == "from 0", "broadcast_object");
  std::printf("rank %d: collectives: ok\n", static_cast<int>(own.rank()));
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "error: %s\n", error.what());
  return 1;
}
