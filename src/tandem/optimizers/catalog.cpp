// The optimizers by Keras's names: a new optimizer is a row here.
#include "tandem/core/catalog.h"

#include "tandem/optimizers/sgd.h"

namespace tandem {
namespace {

using OptimizerMaker = std::shared_ptr<Optimizer> (*)();

template <class Of>
std::shared_ptr<Optimizer> make_optimizer() {
  return Of().object();
}

const Catalog<OptimizerMaker>& optimizer_catalog() {
  static const Catalog<OptimizerMaker> catalog("optimizer", {
                                                                {"sgd", make_optimizer<optimizers::SGD>},
                                                                {"SGD", make_optimizer<optimizers::SGD>},
                                                            });
  return catalog;
}

}  // namespace

std::shared_ptr<Optimizer> Optimizer::make(const std::string& name) { return optimizer_catalog().at(name)(); }

}  // namespace tandem
