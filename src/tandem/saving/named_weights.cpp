#include "tandem/saving/named_weights.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include <algorithm>
#include <map>
#include <set>

#include "tandem/core/config.h"
#include "tandem/core/error.h"
#include "tandem/saving/assignments.h"

namespace tandem::saving {
namespace {

// The name with its longest beginning that has a new one replaced by that.
std::string renamed(const std::string& name, const std::map<std::string, std::string>& renames) {
  const std::pair<const std::string, std::string>* longest = nullptr;
  for (const auto& rename : renames) {
    if (name.starts_with(rename.first) && (!longest || rename.first.size() >= longest->first.size())) longest = &rename;
  }
  return longest ? longest->second + name.substr(longest->first.size()) : name;
}

// "a/b/c", "b/c"; not "c" alone, which says too little, unless it is a name of LibTorch's, "conv.weight".
std::vector<std::string> endings_of(const std::string& name) {
  std::vector<std::string> endings{name};
  for (auto slash = name.find('/'); slash != std::string::npos; slash = name.find('/', slash + 1)) {
    const std::string ending = name.substr(slash + 1);
    if (ending.find_first_of("/.") == std::string::npos) break;
    endings.push_back(ending);
  }
  return endings;
}

/// Which tensor of the file is whose.
class Matching {
 public:
  Matching(const std::vector<NamedWeight>& weights, const SafetensorsFile& file, const LoadWeightsOptions& options)
      : found_(weights.size(), nullptr) {
    for (std::size_t i = 0; i < weights.size(); ++i) weights_[weights[i].name] = i;
    for (const auto& entry : file.tensors()) {
      const auto name = renamed(entry.name, options.rename);
      if (!entries_.emplace(name, &entry).second)
        throw DataError(c10::str(file.path(), ": two of its tensors are renamed to '", name, "'"));
    }
    for (const auto& [name, i] : weights_) {
      if (const auto entry = entries_.find(name); entry != entries_.end()) take(i, entry->second);
    }
    match_endings();
  }

  /// The file's tensor for weight `i`, or null.
  const SafetensorsEntry* entry(std::size_t i) const { return found_[i]; }
  /// Names of the tensors that no weight has.
  std::vector<std::string> left_over() const {
    std::vector<std::string> names;
    for (const auto& [name, entry] : entries_) {
      if (!taken_.contains(entry)) names.push_back(name);
    }
    return names;
  }

 private:
  void take(std::size_t i, const SafetensorsEntry* entry) {
    found_[i] = entry;
    taken_.insert(entry);
  }

  void match_endings() {
    std::map<std::size_t, std::set<const SafetensorsEntry*>> entries_for;
    std::map<const SafetensorsEntry*, std::set<std::size_t>> weights_for;
    const auto note = [&](std::size_t i, const SafetensorsEntry* entry) {
      if (found_[i] || taken_.contains(entry)) return;
      entries_for[i].insert(entry);
      weights_for[entry].insert(i);
    };
    for (const auto& [name, i] : weights_) {
      for (const auto& ending : endings_of(name)) {
        if (const auto entry = entries_.find(ending); entry != entries_.end()) note(i, entry->second);
      }
    }
    for (const auto& [name, entry] : entries_) {
      for (const auto& ending : endings_of(name)) {
        if (const auto weight = weights_.find(ending); weight != weights_.end()) note(weight->second, entry);
      }
    }
    for (const auto& [i, entries] : entries_for) {
      if (entries.size() == 1 && weights_for.at(*entries.begin()).size() == 1) take(i, *entries.begin());
    }
  }

  std::map<std::string, std::size_t> weights_;              // by their names
  std::map<std::string, const SafetensorsEntry*> entries_;  // by their names after renaming
  std::vector<const SafetensorsEntry*> found_;              // by weight
  std::set<const SafetensorsEntry*> taken_;
};

// Why the values cannot be the weight's; empty when they can.
std::string misfit(const Weight& weight, const SafetensorsEntry& entry) {
  if (entry.shape != weight.shape()) return c10::str("must have shape ", weight.shape(), ", has ", entry.shape);
  const bool whole = at::isIntegralType(weight.variable().value.scalar_type(), true);
  if (whole && !at::isIntegralType(entry.type, true)) return c10::str("must be whole numbers, is ", entry.type);
  return "";
}

std::vector<std::string> own_names(const std::vector<NamedWeight>& weights) {
  std::vector<std::string> names(weights.size());
  std::transform(weights.begin(), weights.end(), names.begin(), [](const NamedWeight& weight) { return weight.name; });
  return names;
}

}  // namespace

LoadReport load_named_weights(const std::vector<NamedWeight>& weights, SafetensorsFile& file,
                              const LoadWeightsOptions& options, const std::string& owner) {
  const Matching matching(weights, file, options);
  LoadReport report;
  Assignments assignments;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const auto& [name, weight] = weights[i];
    const SafetensorsEntry* entry = matching.entry(i);
    if (!entry) {
      report.missing.push_back(name);
      continue;
    }
    if (const std::string why = misfit(weight, *entry); !why.empty()) {
      if (!options.skip_mismatch)
        throw DataError(c10::str(file.path(), ": tensor ", Config(entry->name).shown(), ": ", why));
      report.skipped.push_back(name);
      continue;
    }
    assignments.add(weight, file.read(*entry));
    report.loaded.push_back(name);
  }
  report.surplus = matching.left_over();
  if (report.loaded.empty() && !report.complete()) {
    throw DataError(c10::str(file.path(), ": nothing in it fits ", owner, "; in the file: ", list_names(report.surplus),
                             "; in the model: ", list_names(own_names(weights))));
  }
  const bool whole = report.missing.empty() && report.surplus.empty();
  if (!whole && !options.by_name && !options.skip_mismatch) {
    throw DataError(c10::str(file.path(), ": must hold the weights of ", owner, "; missing: ",
                             list_names(report.missing), "; not in the model: ", list_names(report.surplus)));
  }
  assignments.assign();
  return report;
}

}  // namespace tandem::saving
