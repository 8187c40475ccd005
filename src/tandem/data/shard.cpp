#include "tandem/data/shard.h"

#include <c10/util/StringUtil.h>

#include <algorithm>
#include <numeric>

#include "tandem/core/error.h"
#include "tandem/core/log.h"
#include "tandem/data/row_files.h"

namespace tandem::data {
namespace {

// The numbers of the data set's rows, by file; files without rows are none.
std::vector<std::vector<int64_t>> rows_by_file(const Dataset& dataset) {
  const auto file_of = files_of(*dataset.source());
  std::vector<std::vector<int64_t>> files;
  const auto order = dataset.order(0, RandomStream());
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto file = file_of[static_cast<std::size_t>(order[i])];
    if (file < 0) throw InvalidArgument(c10::str("data set: files() must give numbers from 0, got ", file));
    if (static_cast<std::size_t>(file) >= files.size()) files.resize(static_cast<std::size_t>(file) + 1);
    files[static_cast<std::size_t>(file)].push_back(static_cast<int64_t>(i));
  }
  std::erase_if(files, [](const auto& rows) { return rows.empty(); });
  return files;
}

// Of each file: its rank. All ranks come to the same.
std::vector<int64_t> ranks_of(const std::vector<std::vector<int64_t>>& files, int64_t ranks) {
  std::vector<std::size_t> order(files.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return files[a].size() > files[b].size(); });
  std::vector<std::size_t> rows(static_cast<std::size_t>(ranks), 0);
  std::vector<int64_t> rank_of(files.size());
  for (const auto file : order) {
    const auto least = std::min_element(rows.begin(), rows.end());
    rank_of[file] = least - rows.begin();
    *least += files[file].size();
  }
  return rank_of;
}

}  // namespace

DistributedSampler shard(const Dataset& dataset, int64_t num_replicas, int64_t rank, const ShardOptions& options) {
  dataset.require_rows("shard");
  if (options.by != "auto" && options.by != "row" && options.by != "file")
    throw_unknown_name("shard: by", options.by, {"auto", "row", "file"});
  const DistributedSamplerOptions order{
      .shuffle = options.shuffle, .seed = options.seed, .drop_last = options.drop_last};
  const DistributedSampler by_row(dataset.size(), num_replicas, rank, order);  // checks the numbers
  const auto say = [&](const std::string& what, int64_t rows) {
    log_info(c10::str("shard: rank ", rank, " of ", num_replicas, " has ", what, ", ", rows, " of ", dataset.size(),
                      " rows"));
  };
  if (options.by != "row") {
    if (dataset.is_shuffled())
      throw InvalidArgument(
          "shard: the data set must not be shuffled, since each rank keeps its files; the sampler does");
    const auto files = rows_by_file(dataset);
    const auto count = static_cast<int64_t>(files.size());
    if (options.by == "file" && count < num_replicas) {
      throw InvalidArgument(c10::str("shard: there must be a file for each of ", num_replicas, " ranks, got ", count,
                                     count == 1 ? " file" : " files", "; by \"row\" all ranks get rows"));
    }
    if (count >= num_replicas) {
      const auto rank_of = ranks_of(files, num_replicas);
      std::vector<int64_t> own;
      int64_t own_files = 0;
      for (std::size_t file = 0; file < files.size(); ++file) {
        if (rank_of[file] != rank) continue;
        own.insert(own.end(), files[file].begin(), files[file].end());
        ++own_files;
      }
      say(c10::str(own_files, " of ", count, " files"), static_cast<int64_t>(own.size()));
      return {std::move(own), dataset.size(), num_replicas, rank, order};
    }
  }
  say("part of each file", by_row.size());
  return by_row;
}

}  // namespace tandem::data
