#include "tandem/comm/algorithm.h"

#include <utility>
#include <vector>

#include "tandem/core/error.h"

namespace tandem::comm {
namespace {

constexpr std::pair<const char*, Algorithm> kAlgorithms[] = {
    {"auto", Algorithm::automatic},
    {"direct", Algorithm::direct},
    {"ring", Algorithm::ring},
    {"tree", Algorithm::tree},
};

}  // namespace

Algorithm parse_algorithm(const std::string& name) {
  std::vector<std::string> known;
  for (const auto& [text, algorithm] : kAlgorithms) {
    if (name == text) return algorithm;
    known.emplace_back(text);
  }
  throw_unknown_name("all-reduce algorithm", name, known);
}

const char* name_of(Algorithm algorithm) {
  for (const auto& [text, known] : kAlgorithms) {
    if (known == algorithm) return text;
  }
  throw InternalError("name_of: an algorithm without a name");
}

}  // namespace tandem::comm
