#include "tandem/distribution/gradient_buckets.h"

#include <c10/util/StringUtil.h>

#include <algorithm>
#include <numeric>

namespace tandem::distribute {
namespace {

std::string describe(std::size_t number, const GradientBucket& bucket, const FlatWeights& weights) {
  const auto name = [&](std::size_t i) { return weights.weights()[i].name(); };
  std::string names = name(bucket.weights.front());
  if (bucket.weights.size() > 1) names += c10::str(" ... ", name(bucket.weights.back()));
  return c10::str("gradient bucket ", number, " (", bucket.weights.size(),
                  bucket.weights.size() == 1 ? " weight: " : " weights: ", names, ")");
}

}  // namespace

std::vector<GradientBucket> make_buckets(const FlatWeights& weights, int64_t most_bytes) {
  return make_buckets(weights, most_bytes, [](std::size_t) { return true; });
}

std::vector<GradientBucket> make_buckets(const FlatWeights& weights, int64_t most_bytes,
                                         const std::function<bool(std::size_t)>& chosen) {
  const auto& places = weights.places();
  std::vector<std::size_t> order(places.size());
  std::iota(order.begin(), order.end(), 0);
  // Weights without elements share their place with a neighbour.
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return places[a].offset < places[b].offset; });
  const auto whole = weights.elements();

  std::vector<GradientBucket> buckets;
  for (std::size_t k = 0; k < order.size(); ++k) {
    if (!chosen(order[k])) continue;
    const int64_t end = k + 1 < order.size() ? places[order[k + 1]].offset : whole;
    const bool fits = !buckets.empty() && buckets.back().end == places[order[k]].offset &&
                      (end - buckets.back().begin) * static_cast<int64_t>(sizeof(float)) <= most_bytes;
    if (!fits) buckets.push_back({.begin = places[order[k]].offset, .end = end, .weights = {}, .what = {}});
    buckets.back().end = end;
    buckets.back().weights.push_back(order[k]);
  }
  for (std::size_t b = 0; b < buckets.size(); ++b) buckets[b].what = describe(b, buckets[b], weights);
  return buckets;
}

}  // namespace tandem::distribute
