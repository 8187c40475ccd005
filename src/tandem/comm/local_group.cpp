#include "tandem/comm/local_group.h"

#include <ATen/Dispatch.h>
#include <ATen/Parallel.h>
#include <c10/util/StringUtil.h>

#include <algorithm>
#include <chrono>
#include <cstring>

#include "tandem/comm/local_barrier.h"
#include "tandem/core/error.h"

namespace tandem::comm {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// Slice `part` of `count` elements in `parts`, cut at multiples of a cache line so that no two ranks write to one.
std::pair<int64_t, int64_t> slice(int64_t count, int64_t parts, int64_t part) {
  constexpr int64_t kLine = 64;
  const int64_t lines = (count + kLine - 1) / kLine;
  const auto edge = [&](int64_t p) { return std::min(count, (lines * p / parts) * kLine); };
  return {edge(part), edge(part + 1)};
}

}  // namespace

struct LocalGroup::Shared {
  Shared(int64_t n, double limit)
      : barrier(n, std::chrono::duration<double>(limit)), tensors(static_cast<std::size_t>(n)) {}
  LocalBarrier barrier;
  std::vector<const Tensor*> tensors;  // by rank: what it brought to the collective in progress
};

class LocalGroup::Rank : public Communicator {
 public:
  Rank(std::shared_ptr<Shared> shared, int64_t rank, int64_t world_size)
      : shared_(std::move(shared)), rank_(rank), world_size_(world_size) {}

  int64_t rank() const override { return rank_; }
  int64_t world_size() const override { return world_size_; }
  int64_t bytes_sent() const override { return bytes_sent_; }
  double seconds_waiting() const override { return waiting_; }
  double seconds_moving() const override { return moving_; }

  void barrier() override {
    const auto start = Clock::now();
    shared_->barrier.wait(rank_);
    waiting_ += seconds_since(start);
  }

  void all_reduce(Tensor& tensor) override {
    check(tensor, "all_reduce");
    check_adds_up(tensor.scalar_type());
    if (world_size_ == 1) return;
    enter(tensor, "all_reduce");
    const auto start = Clock::now();
    const int64_t count = tensor.numel();
    const auto mine = slice(count, world_size_, rank_);
    AT_DISPATCH_ALL_TYPES_AND2(at::kHalf, at::kBFloat16, tensor.scalar_type(), "all_reduce",
                               [&] { add_up<scalar_t>(mine.first, mine.second); });
    moving_ += seconds_since(start);
    barrier();  // every slice is summed
    const auto copying = Clock::now();
    const int64_t own_count = mine.second - mine.first;
    const auto width = static_cast<int64_t>(tensor.element_size());
    auto* own = static_cast<char*>(tensor.mutable_data_ptr());
    for (int64_t r = 0; r < world_size_; ++r) {
      if (r == rank_) continue;
      const auto [first, last] = slice(count, world_size_, r);
      const auto* other = static_cast<const char*>(shared_->tensors[static_cast<std::size_t>(r)]->const_data_ptr());
      if (last > first)
        std::memcpy(own + first * width, other + first * width, static_cast<std::size_t>((last - first) * width));
    }
    moving_ += seconds_since(copying);
    barrier();  // nobody reads this rank's tensor any more
    // The others have read this rank's addends of their slices once, and this rank's sums once each.
    bytes_sent_ += (count - own_count) * width + (world_size_ - 1) * own_count * width;
  }

  void broadcast(Tensor& tensor, int64_t root) override {
    check(tensor, "broadcast");
    if (root < 0 || root >= world_size_)
      throw InvalidArgument(c10::str("broadcast: root must be in [0, ", world_size_, "), got ", root));
    if (world_size_ == 1) return;
    enter(tensor, "broadcast");
    const auto start = Clock::now();
    if (rank_ != root) {
      std::memcpy(tensor.mutable_data_ptr(), shared_->tensors[static_cast<std::size_t>(root)]->const_data_ptr(),
                  tensor.nbytes());
    } else {
      bytes_sent_ += (world_size_ - 1) * static_cast<int64_t>(tensor.nbytes());
    }
    moving_ += seconds_since(start);
    barrier();
  }

 private:
  void check(const Tensor& tensor, const char* what) const {
    if (!tensor.device().is_cpu() || !tensor.is_non_overlapping_and_dense()) {
      throw InvalidArgument(
          c10::str(what, ": must get a dense CPU tensor, got strides ", tensor.strides(), " on ", tensor.device()));
    }
  }

  static void check_adds_up(at::ScalarType type) {
    if (at::isComplexType(type) || type == at::kBool || at::isQIntType(type)) {
      throw InvalidArgument(c10::str("all_reduce: must get numbers that add up, got ", type));
    }
  }

  // Publishes this rank's tensor, waits for the others', and checks that they fit.
  void enter(const Tensor& tensor, const char* what) {
    shared_->tensors[static_cast<std::size_t>(rank_)] = &tensor;
    barrier();
    std::string mismatch;
    for (int64_t r = 0; r < world_size_ && mismatch.empty(); ++r) {
      const auto& other = *shared_->tensors[static_cast<std::size_t>(r)];
      if (other.sizes() != tensor.sizes() || other.strides() != tensor.strides() ||
          other.scalar_type() != tensor.scalar_type()) {
        mismatch = c10::str(what, ": rank ", rank_, " brought ", describe(tensor), ", rank ", r, " ", describe(other),
                            "; they must be equal");
      }
    }
    if (mismatch.empty()) return;
    barrier();  // all have seen it; nobody looks at this rank's tensor any more
    throw InvalidArgument(mismatch);
  }

  static std::string describe(const Tensor& tensor) {
    return c10::str(tensor.scalar_type(), " of sizes ", tensor.sizes(), " and strides ", tensor.strides());
  }

  // Sums slice [begin, end) over the ranks in their order and keeps it in this rank's tensor. Nobody else reads that
  // slice of this tensor, and this rank writes nothing else.
  template <class T>
  void add_up(int64_t begin, int64_t end) {
    std::vector<const T*> addends;
    for (const auto* t : shared_->tensors) addends.push_back(static_cast<const T*>(t->const_data_ptr()));
    T* sum = static_cast<T*>(const_cast<void*>(shared_->tensors[static_cast<std::size_t>(rank_)]->const_data_ptr()));
    at::parallel_for(begin, end, 1 << 15, [&](int64_t first, int64_t last) {
      constexpr int64_t kBlock = 1024;  // stays in the first-level cache
      T block[kBlock];
      for (int64_t i = first; i < last; i += kBlock) {
        const int64_t n = std::min(kBlock, last - i);
        std::copy_n(addends[0] + i, n, block);
        for (std::size_t r = 1; r < addends.size(); ++r) {
          const T* addend = addends[r] + i;
          for (int64_t j = 0; j < n; ++j) block[j] = static_cast<T>(block[j] + addend[j]);
        }
        std::copy_n(block, n, sum + i);
      }
    });
  }

  std::shared_ptr<Shared> shared_;
  const int64_t rank_, world_size_;
  int64_t bytes_sent_ = 0;
  double waiting_ = 0, moving_ = 0;
};

LocalGroup::LocalGroup(int64_t world_size, double limit_seconds) {
  if (world_size < 1) throw InvalidArgument(c10::str("LocalGroup: world_size must be at least 1, got ", world_size));
  shared_ = std::make_shared<Shared>(world_size, limit_seconds);
  for (int64_t r = 0; r < world_size; ++r) ranks_.push_back(std::make_unique<Rank>(shared_, r, world_size));
}

LocalGroup::~LocalGroup() = default;

int64_t LocalGroup::world_size() const { return static_cast<int64_t>(ranks_.size()); }
Communicator& LocalGroup::rank(int64_t r) { return *ranks_.at(static_cast<std::size_t>(r)); }
void LocalGroup::abort(const std::string& reason) { shared_->barrier.break_all(reason); }
void LocalGroup::reset() { shared_->barrier.reset(); }

}  // namespace tandem::comm
