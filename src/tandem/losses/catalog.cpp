// The losses by Keras's names: a new loss is a row here.
#include "tandem/core/catalog.h"

#include "tandem/losses/categorical_crossentropy.h"
#include "tandem/losses/mean_squared_error.h"
#include "tandem/losses/sparse_categorical_crossentropy.h"

namespace tandem {
namespace {

using LossMaker = std::shared_ptr<Loss> (*)();

template <class Of>
std::shared_ptr<Loss> make_loss() {
  return Of().object();
}

const Catalog<LossMaker>& loss_catalog() {
  static const Catalog<LossMaker> catalog(
      "loss", {
                  {"categorical_crossentropy", make_loss<losses::CategoricalCrossentropy>},
                  {"CategoricalCrossentropy", make_loss<losses::CategoricalCrossentropy>},
                  {"sparse_categorical_crossentropy", make_loss<losses::SparseCategoricalCrossentropy>},
                  {"SparseCategoricalCrossentropy", make_loss<losses::SparseCategoricalCrossentropy>},
                  {"mean_squared_error", make_loss<losses::MeanSquaredError>},
                  {"MeanSquaredError", make_loss<losses::MeanSquaredError>},
                  {"mse", make_loss<losses::MeanSquaredError>},
                  {"MSE", make_loss<losses::MeanSquaredError>},
              });
  return catalog;
}

}  // namespace

std::shared_ptr<Loss> Loss::make(const std::string& name) { return loss_catalog().at(name)(); }

}  // namespace tandem
