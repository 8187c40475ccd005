#include "tandem/core/catalog.h"

#include <c10/util/Type.h>

#include <functional>
#include <typeinfo>

#include "tandem/callbacks/callback.h"

namespace tandem {
namespace {

// Callbacks that need no arguments, for those who name them.
const Catalog<std::function<std::shared_ptr<Callback>()>>& callbacks_by_name() {
  static const Catalog<std::function<std::shared_ptr<Callback>()>> catalog(
      "callback", {
                      {"Callback", [] { return std::make_shared<Callback>(); }},
                  });
  return catalog;
}

}  // namespace

std::shared_ptr<Callback> Callback::make(const std::string& name) { return callbacks_by_name().at(name)(); }

std::string Callback::class_name() const {
  const std::string name = c10::demangle(typeid(*this).name());
  const auto colon = name.rfind("::");
  return colon == std::string::npos ? name : name.substr(colon + 2);
}

}  // namespace tandem
