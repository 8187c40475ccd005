#include "tandem/layers/making_scope.h"

#include <c10/util/StringUtil.h>

#include <set>

#include "tandem/core/error.h"
#include "tandem/layers/layer.h"

namespace tandem {
namespace {

thread_local MakingScope* making = nullptr;

// `layer` and everything that it is made of.
void collect(const Layer& layer, std::set<const Layer*>& all) {
  if (!all.insert(&layer).second) return;
  for (const auto& child : layer.children()) collect(*child, all);
}

}  // namespace

void MakingScope::note(Layer* made) {
  if (making) making->made_.push_back(made);
}

void MakingScope::forget(Layer* gone) {
  for (auto* scope = making; scope; scope = scope->outer_) std::erase(scope->made_, gone);
}

MakingScope::MakingScope() : outer_(making) { making = this; }

MakingScope::~MakingScope() { making = outer_; }

void MakingScope::finish(Layer& layer) {
  for (Layer* made : made_) {
    if (made != &layer) layer.made_inside_.push_back(made->weak_from_this());
  }
  made_.clear();
  if (outer_) outer_->made_.push_back(&layer);
}

void Layer::check_reachable() const {
  std::set<const Layer*> reached;
  collect(*this, reached);
  for (const Layer* owner : reached) {
    for (const auto& weak : owner->made_inside_) {
      const auto made = weak.lock();
      if (!made || reached.contains(made.get())) continue;
      if (made->built() && made->weights().empty()) continue;  // nothing to reach
      throw InvalidArgument(c10::str("layer '", made->name(), "' (", made->class_name(), ") is a member of '",
                                     owner->name(), "' (", owner->class_name(),
                                     ") that is not registered, so that replicas cannot reach it: wrap it in "
                                     "track(\"name\", ...)"));
    }
  }
}

}  // namespace tandem
