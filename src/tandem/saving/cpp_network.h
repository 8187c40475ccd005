#pragma once
#include <map>
#include <string>
#include <vector>

#include "tandem/network/chain.h"
#include "tandem/network/graph.h"
#include "tandem/saving/cpp_names.h"

namespace tandem::saving {

/// Writes functions that build a network: one for each model, those within it first.
class CppNetworkWriter {
 public:
  /// Writes the functions for `network` and all within it; returns the name of its own. Throws InvalidArgument naming
  /// what cannot be written as C++: a class of the program's own, a model that is not built, a layer that two models
  /// share, device scopes.
  std::string write(const Network& network);
  /// All functions written so far.
  const std::string& text() const { return text_; }

 private:
  struct Body;
  void write_chain(const Chain& chain, Body& body);
  void write_graph(const Graph& graph, Body& body);
  /// The construction of a layer; of a model within the call of its function, which is written first.
  std::string construction(const Layer& layer);
  void note_owner(const Layer& layer, const Network& network);

  CppNames functions_;
  std::map<const Layer*, const Network*> owners_;
  std::string text_;
};

}  // namespace tandem::saving
