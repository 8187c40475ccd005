// The optimizers by Keras's names: a new optimizer is two rows here, its class name and its name in lower case.
#include "tandem/core/catalog.h"

#include "tandem/optimizers/adadelta.h"
#include "tandem/optimizers/adafactor.h"
#include "tandem/optimizers/adagrad.h"
#include "tandem/optimizers/adam.h"
#include "tandem/optimizers/adamax.h"
#include "tandem/optimizers/adamw.h"
#include "tandem/optimizers/ftrl.h"
#include "tandem/optimizers/lamb.h"
#include "tandem/optimizers/lion.h"
#include "tandem/optimizers/loss_scale_optimizer.h"
#include "tandem/optimizers/nadam.h"
#include "tandem/optimizers/rmsprop.h"
#include "tandem/optimizers/sgd.h"

namespace tandem {
namespace {

using OptimizerMaker = std::shared_ptr<Optimizer> (*)(const Config&);

template <class Of>
std::shared_ptr<Optimizer> make_optimizer(const Config& config) {
  return Of::from_config(config).object();
}

const Catalog<OptimizerMaker>& optimizer_catalog() {
  static const Catalog<OptimizerMaker> catalog(
      "optimizer", {
                       {"sgd", make_optimizer<optimizers::SGD>},
                       {"SGD", make_optimizer<optimizers::SGD>},
                       {"rmsprop", make_optimizer<optimizers::RMSprop>},
                       {"RMSprop", make_optimizer<optimizers::RMSprop>},
                       {"adam", make_optimizer<optimizers::Adam>},
                       {"Adam", make_optimizer<optimizers::Adam>},
                       {"adamw", make_optimizer<optimizers::AdamW>},
                       {"AdamW", make_optimizer<optimizers::AdamW>},
                       {"adadelta", make_optimizer<optimizers::Adadelta>},
                       {"Adadelta", make_optimizer<optimizers::Adadelta>},
                       {"adagrad", make_optimizer<optimizers::Adagrad>},
                       {"Adagrad", make_optimizer<optimizers::Adagrad>},
                       {"adamax", make_optimizer<optimizers::Adamax>},
                       {"Adamax", make_optimizer<optimizers::Adamax>},
                       {"lion", make_optimizer<optimizers::Lion>},
                       {"Lion", make_optimizer<optimizers::Lion>},
                       {"nadam", make_optimizer<optimizers::Nadam>},
                       {"Nadam", make_optimizer<optimizers::Nadam>},
                       {"ftrl", make_optimizer<optimizers::Ftrl>},
                       {"Ftrl", make_optimizer<optimizers::Ftrl>},
                       {"lamb", make_optimizer<optimizers::Lamb>},
                       {"Lamb", make_optimizer<optimizers::Lamb>},
                       {"adafactor", make_optimizer<optimizers::Adafactor>},
                       {"Adafactor", make_optimizer<optimizers::Adafactor>},
                       {"LossScaleOptimizer", make_optimizer<optimizers::LossScaleOptimizer>},
                   });
  return catalog;
}

}  // namespace

std::shared_ptr<Optimizer> Optimizer::make(const std::string& name) { return make(name, Config::object()); }

std::shared_ptr<Optimizer> Optimizer::make(const std::string& name, const Config& config) {
  return optimizer_catalog().at(name)(config);
}

}  // namespace tandem
