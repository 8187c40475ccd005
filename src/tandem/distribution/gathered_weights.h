#pragma once
#include <c10/core/Storage.h>

#include <cstdint>
#include <functional>
#include <limits>
#include <unordered_map>
#include <vector>

#include "tandem/comm/communicator.h"
#include "tandem/distribution/flat_weights.h"
#include "tandem/distribution/gradient_buckets.h"
#include "tandem/distribution/shard_layout.h"
#include "tandem/distribution/storage_bytes.h"
#include "tandem/layers/call_trace.h"

namespace tandem::distribute {

/// Whole weights for who computes with them, on a rank that has its shard of them only. They come bucket by bucket when
/// a layer first asks for one, the next bucket with them, and their memory is free again when the calls that asked have
/// ended; in backward they come back before the first node that was made in such a call, and go after the last. The
/// tensors that layers get are the same all the time: it is the memory behind them that comes and goes.
///
/// All ranks compute the same model in the same order; gathering is collective. Used by one thread.
class GatheredWeights final : public AbsentWeights, public CallWatch {
 public:
  /// Places the values of `weights` in memory of its own. `shard`: this rank's part of the parameters.
  GatheredWeights(FlatWeights& weights, const ShardLayout& layout, const Tensor& shard,
                  comm::Communicator& communicator, const std::vector<GradientBucket>& buckets);

  /// Tells ranks that do not compute which bucket comes, so that they take part.
  using Announce = std::function<void(std::size_t bucket)>;
  /// A step begins. Without `announce` all ranks compute, and what comes next comes ahead.
  void begin(Announce announce = {});
  /// A step has ended: nothing is kept. Throws InvalidArgument, on all ranks, where they have gathered in different
  /// orders; collective.
  void end();
  /// Another rank has announced this bucket; collective.
  void take_part(std::size_t bucket);
  /// Within a step: a part of it that `computing` of the ranks compute, while the others follow it. Each rank comes to
  /// all parts, in their order. After one nothing is here that it has brought; what it has made must read no weight
  /// but in a backward.
  void begin_part(int64_t computing);
  void end_part();
  void follow_part(int64_t computing);

  const Tensor* bring(const Variable& variable) override;
  /// What is brought between the two is there until the end; else until the end of the step.
  void call_begins() override;
  void call_ends(const Tensors& outputs) override;
  /// Backward of what `roots` were made by, from these gradients; none: of a loss.
  void backward(const std::vector<Tensor>& roots, const std::vector<Tensor>& gradients = {});
  /// Whether the memory of `tensor` comes and goes.
  bool holds(const Tensor& tensor) const;
  /// Shards have changed: who asks again gets what they are now.
  void updated();
  /// `change` changes weight `i` while it is whole, on all ranks alike; it stays changed. Collective.
  void change_whole(std::size_t i, const std::function<void()>& change);
  void add_memory(StorageBytes& bytes) const;

 private:
  struct Bucket {
    int64_t begin = 0, end = 0;
    std::vector<ShardPiece> pieces;
    Tensor whole;  // (end - begin,), whose memory comes and goes
    std::vector<comm::Pending> coming;
    bool here = false;
    int64_t users = 0;  // calls that have asked for it and not ended
    bool kept = false;  // until the end of the step, or of its part, which counts as a user
  };
  // A call that has not ended: what it has asked for, and how many nodes autograd had made when it began.
  struct Frame {
    uint64_t since;
    std::vector<std::size_t> buckets;
  };
  // Nodes of autograd with these numbers may need a bucket.
  struct Use {
    std::size_t bucket;
    uint64_t begin, end;
    bool over = false;  // its nodes have had their backward, which has them no second time
  };
  friend class BucketsNeeded;
  static constexpr auto kNone = std::numeric_limits<std::size_t>::max();   // no bucket
  static constexpr auto kNoNumber = std::numeric_limits<uint64_t>::max();  // behind all of autograd's nodes

  static bool contains(const std::vector<std::size_t>& all, std::size_t one);
  void use(std::size_t bucket);
  void keep_for_step(std::size_t bucket);
  void start(std::size_t bucket);
  void fetch(std::size_t bucket);
  void drop(std::size_t bucket);
  // All but `needed`, `next` and those in use.
  void drop_others(const std::vector<std::size_t>& needed, std::size_t next);
  void at_node(const std::vector<std::size_t>& needed, std::size_t next);
  void forget();
  // What all of the ranks that compute say next.
  int64_t said(int64_t next, int64_t computing);

  FlatWeights& weights_;
  const ShardLayout& layout_;
  Tensor shard_;
  comm::Communicator& communicator_;
  std::vector<Bucket> buckets_;
  std::unordered_map<const Variable*, std::size_t> weight_of_;
  std::vector<std::size_t> bucket_of_;  // by weight
  Announce announce_;
  int64_t computing_ = 0;    // ranks in this part of the step; 0: it has no parts
  uint64_t part_since_ = 0;  // nodes that autograd had made when it began
  std::vector<Frame> frames_;
  std::vector<Use> uses_;
  std::vector<std::size_t> after_;      // by bucket: the one that was asked for after it the last time; kNone: unknown
  std::size_t last_ = 0;                // that was asked for
  uint64_t order_ = 0;                  // of what was gathered, as one number
  std::vector<c10::DataPtr> given_up_;  // that a step which failed may still write to
};

}  // namespace tandem::distribute
