#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "tandem/core/tensor.h"

namespace tandem::data {

/// Rows that belong together: inputs, targets and optional weights, each with the rows on its first axis.
struct Batch {
  Tensors x;
  Tensors y;  // empty: data without targets
  /// Sample weights: empty, or one tensor for all outputs, or one an output, of which some may be undefined; what has
  /// none weighs 1. (rows), or (rows, steps, ...) by step, float32.
  Tensors weights = {};
  /// Rows of each device, where the data says which device gets what (PerDevice); empty: they are divided evenly.
  std::vector<int64_t> division = {};
  /// Where other processes have the rest of the batch: the number within it of the first row here, and its rows.
  int64_t first_row = 0;
  int64_t batch_rows = -1;  // -1: all of them are here
  int64_t number = -1;      // of what was dealt, where batches are dealt out (DealtBatch)

  int64_t rows() const { return x.empty() ? 0 : x.front().size(0); }
  /// Rows of the batch, wherever they are.
  int64_t all_rows() const { return batch_rows < 0 ? rows() : batch_rows; }
  /// True where something weighs other than 1.
  bool weighted() const;
  /// The weights of output `output`; undefined: 1 each.
  Tensor weights_of(int64_t output) const;
  /// x, y and weights as `act` makes them of each tensor that is defined; no division.
  template <class Act>
  Batch each(const Act& act) const {
    Batch made;
    for (const auto& [from, to] :
         {std::pair(&x, &made.x), std::pair(&y, &made.y), std::pair(&weights, &made.weights)}) {
      for (const Tensor& one : *from) to->push_back(one.defined() ? act(one) : one);
    }
    return made;
  }
  /// Rows [begin, end) of those here, as views.
  Batch slice(int64_t begin, int64_t end) const;
};

/// Which rows [begin, end) of a batch of `rows` a process makes.
using OwnRows = std::function<std::pair<int64_t, int64_t>(int64_t rows)>;

/// What a process is to make next: a batch of the epoch, or a part of one.
struct DealtBatch {
  int64_t number = 0;  // among all that is dealt in the epoch
  int64_t batch = 0;
  OwnRows rows = {};  // empty: all
};

/// The next one of an epoch of `batches`; nothing: it has ended.
using DealBatch = std::function<std::optional<DealtBatch>(int64_t epoch, int64_t batches)>;

}  // namespace tandem::data
