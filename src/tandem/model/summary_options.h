#pragma once
#include <cstdint>

namespace tandem {

/// Arguments of summary, as in Keras; `columns` is the terminal's width.
struct SummaryOptions {
  int64_t columns = 80;
  bool expand_nested = false;   // also the layers of models within
  bool show_trainable = false;  // a column that says which layers are trained
};

}  // namespace tandem
