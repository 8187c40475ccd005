#pragma once
#include <cstdint>

#include "tandem/model/model.h"
#include "tandem/zoo/recipe.h"

namespace tandem::zoo {

struct TextClassifierOptions {
  int64_t vocabulary = 20000;  // ids in [1, vocabulary); 0 is padding, before or behind the words
  int64_t steps = -1;          // words of a row; -1: any number
  int64_t features = 128;      // of a word
  int64_t units = 128;
  double dropout = 0.2;  // of the words' features, in training
  int64_t classes = 2;
};

/// A classifier of texts as Keras's examples have it, a Sequential: Embedding whose mask leaves padding out, LSTM, and
/// a softmax. 2,691,842 weights with the options as they are. Rows are ids, (batch, steps). Throws InvalidArgument on
/// fewer than two classes and numbers that are not positive.
Model text_classifier(const TextClassifierOptions& options = {});

/// Adam 0.001, 32 rows a step, 5 epochs.
Recipe text_classifier_recipe();

}  // namespace tandem::zoo
