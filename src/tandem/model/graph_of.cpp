#include "tandem/model/graph_of.h"

#include <c10/util/StringUtil.h>

#include "tandem/network/chain.h"

namespace tandem {

const Graph* graph_of(const Network& network) {
  if (const auto* chain = dynamic_cast<const Chain*>(&network)) return chain->graph().get();
  return dynamic_cast<const Graph*>(&network);
}

std::string output_shape_text(const Node& node) {
  if (node.output_shapes.size() == 1) return node.output_shapes[0].to_string();
  std::string text;
  for (const auto& shape : node.output_shapes) text += c10::str(text.empty() ? "[" : ", ", shape);
  return text + "]";
}

}  // namespace tandem
