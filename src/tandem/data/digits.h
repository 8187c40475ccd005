#pragma once
#include "tandem/data/dataset.h"

namespace tandem::datasets {

/// The 1,797 images of handwritten digits that ship with the library (scikit-learn's load_digits: the test part of
/// UCI's "Optical Recognition of Handwritten Digits", Alpaydin and Kaynak 1998, CC BY 4.0). x: float32 (1797, 8, 8, 1)
/// with values 0 to 16, y: int64 (1797) with the digits 0 to 9.
Dataset digits();

}  // namespace tandem::datasets
