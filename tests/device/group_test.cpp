// Collectives between ranks that share a card, and between cards, against sums by formula.
#include <ATen/ATen.h>

#include <atomic>

#include "check.h"
#include "ranks.h"
#include "stand_in.h"
#include "tandem/core/error.h"

namespace tandem::testing {
namespace {

using comm::Communicator;
using comm::DeviceGroup;
using Cards = std::vector<c10::Device>;

// Element i of rank r is (r + 1) * (i % 13): sums are small whole numbers, exact in every type.
Tensor addend(int64_t count, int64_t rank, const c10::Device& device, at::ScalarType type) {
  return (at::arange(count).remainder(13) * (rank + 1)).to(type).to(device);
}

Tensor sum_of_addends(int64_t count, int64_t ranks, at::ScalarType type) {
  return (at::arange(count).remainder(13) * (ranks * (ranks + 1) / 2)).to(type);
}

std::string message(const std::exception_ptr& thrown) {
  if (!thrown) return "nothing";
  try {
    std::rethrow_exception(thrown);
  } catch (const std::exception& error) {
    return error.what();
  }
}

bool none_threw(const std::vector<std::exception_ptr>& thrown) {
  for (const auto& t : thrown) {
    if (t) std::printf("  a rank threw: %s\n", message(t).c_str());
    if (t) return false;
  }
  return true;
}

void check_all_reduce(Checks& check, const Cards& cards, const std::string& where) {
  DeviceGroup group(cards, 30);
  const auto ranks = static_cast<int64_t>(cards.size());
  std::atomic<bool> right{true};
  const auto thrown = run_on(group, cards, [&](Communicator& rank) {
    const auto& card = cards[static_cast<std::size_t>(rank.rank())];
    for (const auto type : {at::kFloat, at::kDouble, at::kHalf, at::kLong, at::kInt}) {
      for (const int64_t count : {0, 1, 63, 64, 1000, 100003}) {
        if (type == at::kHalf && count > 1000) continue;
        Tensor tensor = addend(count, rank.rank(), card, type);
        rank.all_reduce(tensor, {});
        right = right && at::equal(tensor.cpu(), sum_of_addends(count, ranks, type));
      }
    }
  });
  check.that(none_threw(thrown) && right, "all_reduce, " + where);
}

// As buckets travel: several on their way, finished in another order, with work before and after on the ranks' streams.
void check_async(Checks& check, const Cards& cards, const std::string& where) {
  DeviceGroup group(cards, 30);
  const auto ranks = static_cast<int64_t>(cards.size());
  std::atomic<bool> right{true};
  const auto thrown = run_on(group, cards, [&](Communicator& rank) {
    const auto& card = cards[static_cast<std::size_t>(rank.rank())];
    for (int repeat = 0; repeat < 20; ++repeat) {
      std::vector<Tensor> tensors;
      std::vector<comm::Pending> pending;
      for (const int64_t count : {70000, 5, 1024}) {
        tensors.push_back(addend(count, rank.rank(), card, at::kFloat).mul_(2).div_(2));
      }
      for (auto& tensor : tensors) pending.push_back(rank.all_reduce_async(tensor));
      pending[0].advance();
      for (const std::size_t b : {2, 0, 1}) {
        const auto times = pending[b].wait();
        right = right && times.started > 0 && times.all_here >= times.started && times.finished >= times.all_here;
        tensors[b].add_(1);  // may be written from now on
      }
      {  // nobody waits for this one
        Tensor dropped = addend(300, rank.rank(), card, at::kFloat);
        rank.all_reduce_async(dropped);
      }
      for (const auto& tensor : tensors)
        right = right && at::equal(tensor.cpu(), sum_of_addends(tensor.numel(), ranks, at::kFloat) + 1);
    }
  });
  check.that(none_threw(thrown) && right, "several all_reduces on their way, " + where);
  const int64_t slice_bytes = group.rank(0).bytes_sent();
  check.that(ranks == 1 ? slice_bytes == 0 : slice_bytes > 0, "bytes are counted");
}

void check_others(Checks& check, const Cards& cards, const std::string& where) {
  DeviceGroup group(cards, 30);
  const auto ranks = static_cast<int64_t>(cards.size());
  std::atomic<bool> right{true};
  const auto expect = [&](bool holds) { right = right && holds; };
  const auto thrown = run_on(group, cards, [&](Communicator& rank) {
    const int64_t own = rank.rank();
    const auto& card = cards[static_cast<std::size_t>(own)];
    const auto options = at::TensorOptions(card).dtype(at::kFloat);
    const Tensor whole = addend(ranks * 7, own, card, at::kFloat);
    Tensor part = at::empty({7}, options), gathered = at::empty({ranks * 7}, options);
    rank.reduce_scatter(whole, part);
    expect(at::equal(part.cpu(), sum_of_addends(ranks * 7, ranks, at::kFloat).slice(0, own * 7, own * 7 + 7)));
    expect(at::equal(whole.cpu(), addend(ranks * 7, own, at::kCPU, at::kFloat)));
    rank.all_gather(part, gathered);
    expect(at::equal(gathered.cpu(), sum_of_addends(ranks * 7, ranks, at::kFloat)));
    // In place: the part is this rank's slice of the whole.
    Tensor mixed = addend(ranks * 7, own, card, at::kFloat), slice = mixed.narrow(0, own * 7, 7);
    rank.reduce_scatter(mixed, slice);
    rank.all_gather(slice, mixed);
    expect(at::equal(mixed.cpu(), gathered.cpu()));
    Tensor sent = at::full({5}, static_cast<double>(own), options);
    rank.broadcast(sent, ranks - 1);
    expect(at::equal(sent.cpu(), at::full({5}, static_cast<double>(ranks - 1))));
    rank.barrier();
    // Around a ring; even ranks send first.
    Tensor got = at::empty({3}, options);
    Tensor mine = at::full({3}, static_cast<double>(own), options);
    const int64_t next = (own + 1) % ranks, before = (own + ranks - 1) % ranks;
    if (ranks > 1 && own % 2 == 0) rank.send(mine, next, 4);
    if (ranks > 1) rank.recv(got, before, 4);
    if (ranks > 1 && own % 2 == 1) rank.send(mine, next, 4);
    mine.zero_();  // the sender's again
    if (ranks > 1) expect(at::equal(got.cpu(), at::full({3}, static_cast<double>(before))));
    // The even ranks and the odd ones, each among themselves.
    std::vector<int64_t> alike;
    for (int64_t r = own % 2; r < ranks; r += 2) alike.push_back(r);
    const auto subgroup = rank.subgroup(alike);
    Tensor count = at::ones({1}, options);
    subgroup->all_reduce(count, {});
    expect(count.item<double>() == static_cast<double>(alike.size()));
  });
  check.that(none_threw(thrown) && right, "the other collectives, " + where);
}

void check_failures(Checks& check, const Cards& cards) {
  DeviceGroup group(cards, 30);
  auto thrown = run_on(
      group, cards,
      [&](Communicator& rank) {
        Tensor tensor = addend(rank.rank() == 1 ? 9 : 8, 0, cards.front(), at::kFloat);
        rank.all_reduce(tensor, {.what = "bucket 2"});
      },
      false);
  check.that(
      message(thrown[0]).find("bucket 2: rank 0 brought all_reduce of Float [8], rank 1 all_reduce of Float [9]") == 0,
      "ranks that bring other sizes are told: " + message(thrown[0]));
  check.that(thrown[1] != nullptr, "all of them");
  thrown = run_on(group, cards, [&](Communicator& rank) {
    Tensor tensor = addend(8, rank.rank(), cards.front(), at::kFloat);
    rank.all_reduce(tensor, {});
  });
  check.that(none_threw(thrown), "and can go on");

  DeviceGroup impatient(cards, 0.2);
  thrown = run_on(
      impatient, cards,
      [&](Communicator& rank) {
        Tensor tensor = addend(8, 0, cards.front(), at::kFloat);
        if (rank.rank() == 0) rank.all_reduce(tensor, {.what = "bucket 0"});
      },
      false);
  check.that(message(thrown[0]).find("bucket 0 for rank 1") != std::string::npos,
             "who is missing is named: " + message(thrown[0]));
  impatient.reset();
  thrown = run_on(impatient, cards, [&](Communicator& rank) {
    if (rank.rank() == 1) throw DataError("no such picture");
    Tensor tensor = addend(8, 0, cards.front(), at::kFloat);
    rank.all_reduce(tensor, {});
  });
  check.that(message(thrown[0]).find("no such picture") != std::string::npos,
             "why a rank failed is told to the others");
  impatient.reset();
  thrown = run_on(impatient, cards, [&](Communicator& rank) { rank.barrier(); });
  check.that(none_threw(thrown), "after reset the group is as new");
}

int run() {
  use_gpu_or_stand_in();
  Checks check;
  const auto card = torch_device(Device("gpu:0"));
  for (const std::size_t ranks : {1, 2, 3, 4}) {
    const auto where = std::to_string(ranks) + " ranks on one card";
    const Cards cards(ranks, card);
    check_all_reduce(check, cards, where);
    check_async(check, cards, where);
    check_others(check, cards, where);
  }
  check_failures(check, {card, card});
  Cards apart, mixed;
  for (int64_t i = 0; i < visible_gpus(); ++i) {
    apart.push_back(torch_device(Device("gpu:" + std::to_string(i))));
    mixed.insert(mixed.end(), 2, apart.back());
  }
  if (apart.size() > 1) {
    const auto where = std::to_string(apart.size()) + " cards";
    check_all_reduce(check, apart, where);
    check_async(check, apart, where);
    check_others(check, apart, where);
    check_all_reduce(check, mixed, "two ranks on each of " + where);
    check_others(check, mixed, "two ranks on each of " + where);
  }
  return check.status();
}

}  // namespace
}  // namespace tandem::testing

int main() { return tandem::testing::run(); }
