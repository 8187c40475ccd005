#pragma once
#include <map>
#include <string>
#include <vector>

namespace tandem::saving {

struct LoadWeightsOptions {
  /// The legacy layout: layers by their names instead of their order. Safetensors, where it is by name in any case:
  /// names that only one side has are no error.
  bool by_name = false;
  /// Leaves alone what does not fit: other shapes, and layers that only the file or only the network has.
  bool skip_mismatch = false;
  /// Safetensors only: beginnings of names in the file, and what stands in their place here: {{"module.", ""}}. The
  /// longest that fits counts.
  std::map<std::string, std::string> rename = {};
};

/// What became of the layers with weights. In the legacy layout they are told by their names, in Keras 3's by name and
/// path: "out (layers/dense_2)". In safetensors files each weight is told by its own name: "out/kernel".
struct LoadReport {
  std::vector<std::string> loaded;
  std::vector<std::string> skipped;  // in both, but of other shapes
  std::vector<std::string> missing;  // the file does not have them
  std::vector<std::string> surplus;  // the network does not have them

  bool complete() const { return skipped.empty() && missing.empty() && surplus.empty(); }
  /// "loaded 3, missing 1: conv".
  std::string to_string() const;
};

/// "a, b, c", the first ten: "a, ..., j and 7 more".
std::string list_names(const std::vector<std::string>& names);

}  // namespace tandem::saving
