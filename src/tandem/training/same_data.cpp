#include "tandem/training/same_data.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "tandem/core/error.h"
#include "tandem/core/mix_bits.h"
#include "tandem/core/random.h"
#include "tandem/data/per_device.h"

namespace tandem {
namespace {

constexpr int64_t kRowsCompared = 4;

RandomStream fold(const RandomStream& digest, const Tensor& tensor) {
  if (!tensor.defined()) return digest.fold(uint64_t{0});
  const Tensor bytes = tensor.contiguous().to(at::kCPU);
  return digest.fold(c10::str(bytes.scalar_type(), bytes.sizes()))
      .fold(std::string_view(static_cast<const char*>(bytes.const_data_ptr()), bytes.nbytes()));
}

}  // namespace

DataPrint fingerprint(const Dataset& data) {
  std::vector<int64_t> rows(static_cast<std::size_t>(std::min(kRowsCompared, data.source()->size())));
  std::iota(rows.begin(), rows.end(), 0);
  const auto batch = data.source()->get(rows);
  RandomStream digest;
  for (const auto& x : batch.x) digest = fold(digest, x);
  for (const auto& y : batch.y) digest = fold(digest, y);
  for (const auto& weights : batch.weights) digest = fold(digest, weights);
  DataPrint print{.first_rows = digest.key()};
  if (dynamic_cast<const data::PerDeviceSource*>(data.source().get())) return print;  // it has no one order
  for (const auto row : data.order(0, RandomStream(0)))
    print.order = mix_bits(print.order ^ static_cast<uint64_t>(row));
  return print;
}

void check_same_data(distribute::Peers& peers, const char* who, const Dataset& data, int64_t batch_size,
                     const DataPrint& print, const distribute::NamedOptions& options) {
  distribute::PeerMessage own;
  own.put(static_cast<double>(data.size()));
  own.put_bits(print.first_rows);
  own.put_bits(print.order);
  distribute::NamedOptions asked;
  asked.add("batches of", data.batch_size() ? data.batch_size() : batch_size,
            data.drop_remainder() ? " without the remainder" : "");
  asked.put(own);
  options.put(own);
  distribute::Peers::Topic topic;
  auto all = peers.gather(own, topic);
  const int64_t rows = all[0].integer();
  const uint64_t first = all[0].bits(), order = all[0].bits();
  const auto batches = distribute::NamedOptions::take(all[0]), rest = distribute::NamedOptions::take(all[0]);
  for (std::size_t r = 1; r < all.size(); ++r) {
    if (const int64_t its = all[r].integer(); its != rows) {
      throw InvalidArgument(c10::str(who, ": all ranks must be given the same data, but rank ", r, " has ", its,
                                     " rows and rank 0 has ", rows));
    }
    if (all[r].bits() != first) {
      throw InvalidArgument(
          c10::str(who, ": all ranks must be given the same data, but rank ", r, "'s first rows are not rank 0's"));
    }
    if (all[r].bits() != order) {
      throw InvalidArgument(
          c10::str(who, ": all ranks must take the rows in one order, but rank ", r, " shuffles other than rank 0"));
    }
    for (const auto* first : {&batches, &rest}) {
      if (const auto apart = first->difference(distribute::NamedOptions::take(all[r]), r))
        throw InvalidArgument(c10::str(who, ": all ranks must ask for the same, but ", *apart));
    }
  }
}

}  // namespace tandem
