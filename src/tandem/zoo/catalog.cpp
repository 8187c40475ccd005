#include "tandem/zoo/catalog.h"

#include <functional>

#include "tandem/core/catalog.h"
#include "tandem/zoo/minigooglenet.h"

namespace tandem::zoo {
namespace {

const Catalog<std::function<Entry(int64_t)>>& models() {
  static const Catalog<std::function<Entry(int64_t)>> catalog(
      "model", {
                   {"minigooglenet",
                    [](int64_t classes) {
                      return Entry{minigooglenet({.classes = classes}), minigooglenet_recipe()};
                    }},
               });
  return catalog;
}

}  // namespace

Entry make(const std::string& name, int64_t classes) { return models().at(name)(classes); }
std::vector<std::string> names() { return models().names(); }

}  // namespace tandem::zoo
