// One row a layer.
#include "tandem/layers/catalog.h"

#include "tandem/core/catalog.h"
#include "tandem/layers/activation.h"
#include "tandem/layers/add.h"
#include "tandem/layers/average_pooling2d.h"
#include "tandem/layers/batch_normalization.h"
#include "tandem/layers/concatenate.h"
#include "tandem/layers/conv2d.h"
#include "tandem/layers/dense.h"
#include "tandem/layers/dropout.h"
#include "tandem/layers/flatten.h"
#include "tandem/layers/global_average_pooling2d.h"
#include "tandem/layers/max_pooling2d.h"

namespace tandem {
namespace {

using LayerMaker = LayerHandle (*)(const Config&);

template <class Handle>
LayerHandle make_from_config(const Config& config) {
  return Handle::from_config(config);
}

const Catalog<LayerMaker>& layer_catalog() {
  static const Catalog<LayerMaker> table(
      "layer", {
                   {"Activation", make_from_config<layers::Activation>},
                   {"Add", make_from_config<layers::Add>},
                   {"AveragePooling2D", make_from_config<layers::AveragePooling2D>},
                   {"BatchNormalization", make_from_config<layers::BatchNormalization>},
                   {"Concatenate", make_from_config<layers::Concatenate>},
                   {"Conv2D", make_from_config<layers::Conv2D>},
                   {"Dense", make_from_config<layers::Dense>},
                   {"Dropout", make_from_config<layers::Dropout>},
                   {"Flatten", make_from_config<layers::Flatten>},
                   {"GlobalAveragePooling2D", make_from_config<layers::GlobalAveragePooling2D>},
                   {"MaxPooling2D", make_from_config<layers::MaxPooling2D>},
               });
  return table;
}

}  // namespace

LayerHandle layer_from_config(const std::string& class_name, const Config& config) {
  LayerHandle layer = layer_catalog().at(class_name)(config);
  if (const Config name = config.get("name", {}); !name.is_null()) layer->set_name(name.as_string());
  layer->set_trainable(config.get("trainable", true).as_bool());
  return layer;
}

std::vector<std::string> layer_class_names() { return layer_catalog().names(); }

}  // namespace tandem
