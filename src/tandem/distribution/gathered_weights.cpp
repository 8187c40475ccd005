#include "tandem/distribution/gathered_weights.h"

#include <ATen/ATen.h>
#include <ATen/SequenceNumber.h>
#include <c10/core/GradMode.h>
#include <c10/util/StringUtil.h>

#include <algorithm>
#include <utility>

#include "tandem/core/error.h"

namespace tandem::distribute {

namespace {

[[noreturn]] void throw_apart() {
  throw InvalidArgument(
      "Zero: every replica must read the model's weights in the same order where parameters are sharded, but they went "
      "apart");
}

c10::DataPtr take_away(const Tensor& tensor) {
  auto* storage = tensor.storage().unsafeGetStorageImpl();
  storage->set_nbytes(0);
  return storage->set_data_ptr(c10::DataPtr(nullptr, tensor.device()));
}

void give_back(const Tensor& tensor) {
  if (tensor.storage().nbytes() > 0) take_away(tensor);
}

void take_memory(const Tensor& tensor) {
  auto* storage = tensor.storage().unsafeGetStorageImpl();
  if (storage->nbytes() > 0) return;
  const auto bytes = static_cast<std::size_t>(tensor.numel() * tensor.element_size());
  storage->set_data_ptr_noswap(c10::GetAllocator(tensor.device().type())->allocate(bytes));
  storage->set_nbytes(bytes);
}

}  // namespace

GatheredWeights::GatheredWeights(FlatWeights& weights, const ShardLayout& layout, const Tensor& shard,
                                 comm::Communicator& communicator, const std::vector<GradientBucket>& buckets)
    : weights_(weights),
      layout_(layout),
      shard_(shard),
      communicator_(communicator),
      bucket_of_(weights.weights().size()),
      after_(buckets.size(), kNone),
      last_(kNone) {
  std::vector<Tensor> values(weights.weights().size());
  for (const auto& bucket : buckets) {
    auto& own = buckets_.emplace_back();
    own.begin = bucket.begin;
    own.end = bucket.end;
    own.pieces = layout.pieces(bucket.begin, bucket.end);
    own.whole = at::empty({bucket.end - bucket.begin}, shard.options());
    for (const auto i : bucket.weights) {
      bucket_of_[i] = buckets_.size() - 1;
      weight_of_[&weights.weights()[i].variable()] = i;
      const auto& master = weights.weights()[i].variable().value;
      // With a count of changes of its own: what backward has kept is no other when it has come back.
      values[i] = own.whole.as_strided(master.sizes(), master.strides(), weights.places()[i].offset - bucket.begin)
                      .variable_data();
    }
    give_back(own.whole);
  }
  weights_.place_values(std::move(values));
}

void GatheredWeights::forget() {
  for (auto& bucket : buckets_) {
    if (!bucket.coming.empty()) given_up_.push_back(take_away(bucket.whole));
    bucket.coming.clear();
    give_back(bucket.whole);
    bucket.here = bucket.kept = false;
    bucket.users = 0;
  }
  frames_.clear();
  uses_.clear();
  last_ = kNone;
}

void GatheredWeights::begin(Announce announce) {
  forget();  // of a step that failed
  announce_ = std::move(announce);
  computing_ = 0;
  part_since_ = 0;
  order_ = 0;
}

int64_t GatheredWeights::said(int64_t next, int64_t computing) {
  Tensor sum = at::full({1}, static_cast<double>(next), at::kDouble);
  communicator_.all_reduce(sum, {.what = "weights that are gathered next"});
  return static_cast<int64_t>(sum.item<double>()) / computing;
}

void GatheredWeights::begin_part(int64_t computing) {
  computing_ = computing;
  part_since_ = at::sequence_number::peek();
  if (computing == layout_.ranks()) return;
  announce_ = [this](std::size_t bucket) {
    const auto number = static_cast<int64_t>(bucket) + 1;
    if (said(number, computing_) != number) throw_apart();
  };
}

void GatheredWeights::end_part() {
  const auto until = at::sequence_number::peek();
  for (auto& use : uses_) use.end = std::min(use.end, until);
  for (auto& bucket : buckets_) {
    if (std::exchange(bucket.kept, false)) --bucket.users;
  }
  drop_others({}, kNone);
  last_ = kNone;
  if (announce_) said(0, computing_);
  announce_ = {};
  computing_ = 0;
}

void GatheredWeights::follow_part(int64_t computing) {
  announce_ = [](std::size_t) {};
  while (const int64_t bucket = said(0, computing)) take_part(static_cast<std::size_t>(bucket - 1));
  announce_ = {};
}

void GatheredWeights::end() {
  for (std::size_t b = 0; b < buckets_.size(); ++b) drop(b);
  forget();
  if (announce_) return;
  Tensor sum = at::full({1}, static_cast<double>(order_), at::kDouble);
  communicator_.all_reduce(sum, {.what = "order in which weights were read"});
  if (sum.item<double>() == static_cast<double>(order_) * static_cast<double>(layout_.ranks())) return;
  throw_apart();
}

void GatheredWeights::start(std::size_t b) {
  auto& bucket = buckets_[b];
  if (bucket.here) return;
  if (announce_) announce_(b);
  const c10::NoGradGuard no_grad;
  take_memory(bucket.whole);
  bucket.here = true;
  for (const auto& piece : bucket.pieces) {
    Tensor part = bucket.whole.narrow(0, piece.begin - bucket.begin, piece.size());
    if (piece.owner == layout_.rank()) part.copy_(shard_.narrow(0, piece.begin - layout_.begin(), piece.size()));
    if (layout_.ranks() == 1) continue;
    if (announce_) {
      communicator_.broadcast(part, piece.owner);
    } else {
      bucket.coming.push_back(communicator_.broadcast_async(part, piece.owner));
    }
  }
  order_ = (order_ * 31 + b + 1) % 4294967291;  // a prime: sums over ranks stay whole numbers in a double
}

void GatheredWeights::fetch(std::size_t b) {
  start(b);
  for (auto& part : buckets_[b].coming) part.wait();
  buckets_[b].coming.clear();
}

void GatheredWeights::drop(std::size_t b) {
  auto& bucket = buckets_[b];
  if (!bucket.here) return;
  fetch(b);
  give_back(bucket.whole);
  bucket.here = false;
}

bool GatheredWeights::contains(const std::vector<std::size_t>& all, std::size_t one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

void GatheredWeights::drop_others(const std::vector<std::size_t>& needed, std::size_t next) {
  for (std::size_t b = 0; b < buckets_.size(); ++b) {
    if (buckets_[b].users == 0 && b != next && !contains(needed, b)) drop(b);
  }
}

void GatheredWeights::keep_for_step(std::size_t b) {
  if (std::exchange(buckets_[b].kept, true)) return;
  ++buckets_[b].users;
  uses_.push_back({b, part_since_, kNoNumber});
}

void GatheredWeights::use(std::size_t b) {
  if (frames_.empty()) {
    keep_for_step(b);
  } else if (auto& asked = frames_.back().buckets; !contains(asked, b)) {
    asked.push_back(b);
    ++buckets_[b].users;
  }
  if (last_ != b && last_ != kNone && !announce_) after_[last_] = b;
  last_ = b;
  const std::size_t next = announce_ ? kNone : after_[b];
  drop_others({b}, next);
  fetch(b);
  if (next != kNone) start(next);
}

const Tensor* GatheredWeights::bring(const Variable& variable) {
  const auto found = weight_of_.find(&variable);
  if (found == weight_of_.end()) return nullptr;
  use(bucket_of_[found->second]);
  return &weights_.value(found->second);
}

void GatheredWeights::call_begins() { frames_.push_back({at::sequence_number::peek(), {}}); }

void GatheredWeights::call_ends(const Tensors& outputs) {
  const Frame call = std::move(frames_.back());
  frames_.pop_back();
  for (const auto b : call.buckets) {
    --buckets_[b].users;
    if (c10::GradMode::is_enabled()) uses_.push_back({b, call.since, at::sequence_number::peek()});
  }
  for (const auto& output : outputs) {  // a layer may return a weight, or a view of it
    if (!output.defined() || !output.has_storage()) continue;
    for (std::size_t b = 0; b < buckets_.size(); ++b) {
      if (output.storage().is_alias_of(buckets_[b].whole.storage())) keep_for_step(b);
    }
  }
}

bool GatheredWeights::holds(const Tensor& tensor) const {
  return std::any_of(buckets_.begin(), buckets_.end(),
                     [&](const Bucket& bucket) { return tensor.storage().is_alias_of(bucket.whole.storage()); });
}

void GatheredWeights::take_part(std::size_t b) {
  if (b >= buckets_.size()) throw InternalError(c10::str("shards: there is no bucket ", b));
  start(b);
  drop(b);
}

// What is in use keeps its memory, since somebody may still have the tensor.
void GatheredWeights::updated() {
  for (std::size_t b = 0; b < buckets_.size(); ++b) {
    auto& bucket = buckets_[b];
    if (!bucket.here) continue;
    fetch(b);
    bucket.here = false;
    if (bucket.users == 0) give_back(bucket.whole);
    if (std::exchange(bucket.kept, false)) --bucket.users;
  }
}

void GatheredWeights::change_whole(std::size_t i, const std::function<void()>& change) {
  const auto b = bucket_of_[i];
  const Announce announce = std::exchange(announce_, {});  // those without rows make the update, too
  fetch(b);
  change();
  for (const auto& piece : buckets_[b].pieces) {
    if (piece.owner != layout_.rank()) continue;
    const c10::NoGradGuard no_grad;
    shard_.narrow(0, piece.begin - layout_.begin(), piece.size())
        .copy_(buckets_[b].whole.narrow(0, piece.begin - buckets_[b].begin, piece.size()));
  }
  drop(b);
  announce_ = announce;
}

void GatheredWeights::add_memory(StorageBytes& bytes) const {
  for (const auto& bucket : buckets_) bytes.add(bucket.whole);
}

}  // namespace tandem::distribute
