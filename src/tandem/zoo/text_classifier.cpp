#include "tandem/zoo/text_classifier.h"

#include <c10/util/StringUtil.h>

#include "tandem/core/error.h"
#include "tandem/layers/dense.h"
#include "tandem/layers/embedding.h"
#include "tandem/layers/input.h"
#include "tandem/layers/lstm.h"

namespace tandem::zoo {

Model text_classifier(const TextClassifierOptions& options) {
  if (options.classes < 2)
    throw InvalidArgument(c10::str("text_classifier: must have two classes or more, got ", options.classes));
  return Sequential({layers::Input({options.steps}, {.dtype = "int64"}),
                     layers::Embedding(options.vocabulary, options.features, {.mask_zero = true}),
                     layers::LSTM(options.units, {.dropout = options.dropout}),
                     layers::Dense(options.classes, {.activation = "softmax"})},
                    "text_classifier");
}

Recipe text_classifier_recipe() { return {.optimizer = "adam", .learning_rate = 0.001, .batch_size = 32, .epochs = 5}; }

}  // namespace tandem::zoo
