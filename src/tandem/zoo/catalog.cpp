#include "tandem/zoo/catalog.h"

#include "tandem/core/catalog.h"
#include "tandem/zoo/cnn.h"
#include "tandem/zoo/minigooglenet.h"
#include "tandem/zoo/mlp.h"
#include "tandem/zoo/resnet20.h"

namespace tandem::zoo {
namespace {

struct Network {
  Model (*model)(int64_t classes);
  Recipe (*recipe)();
};

const Catalog<Network>& networks() {
  static const Catalog<Network> catalog(
      "model", {
                   {"minigooglenet",
                    {[](int64_t classes) { return minigooglenet({.classes = classes}); }, minigooglenet_recipe}},
                   {"resnet20", {[](int64_t classes) { return resnet20({.classes = classes}); }, resnet20_recipe}},
                   {"cnn", {[](int64_t classes) { return cnn({.classes = classes}); }, cnn_recipe}},
                   {"mlp", {[](int64_t classes) { return mlp({.classes = classes}); }, mlp_recipe}},
               });
  return catalog;
}

}  // namespace

Entry make(const std::string& name, int64_t classes) {
  const auto& network = networks().at(name);
  return {network.model(classes), network.recipe()};
}

Recipe recipe(const std::string& name) { return networks().at(name).recipe(); }
std::vector<std::string> names() { return networks().names(); }

}  // namespace tandem::zoo
