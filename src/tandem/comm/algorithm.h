#pragma once
#include <string>

namespace tandem::comm {

/// How the addends of an all-reduce travel. All give every rank the same bits; they may differ from one another in the
/// order in which they add.
enum class Algorithm {
  automatic,  // what is fastest for the size: between threads direct, measured so for every size (docs/performance.md)
  direct,     // each rank adds up one slice of all ranks' tensors along one tree (sum_tree.h) and hands out its sum
  ring,       // slices go around, Patarasuk and Yuan (2009)
  tree,       // recursive doubling: log2(ranks) exchanges of the whole tensor, Thakur et al. (2005)
};

/// "auto", "direct", "ring", "tree". Throws InvalidArgument that proposes the nearest known names.
Algorithm parse_algorithm(const std::string& name);
/// The name that parse_algorithm knows it by.
const char* name_of(Algorithm algorithm);

}  // namespace tandem::comm
