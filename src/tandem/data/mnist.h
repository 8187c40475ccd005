#pragma once
#include <string>
#include <utility>

#include "tandem/data/dataset.h"

namespace tandem::datasets {

struct MnistOptions {
  /// The folder with train-images-idx3-ubyte, train-labels-idx1-ubyte, t10k-images-idx3-ubyte and
  /// t10k-labels-idx1-ubyte, plain or with the ending .gz. Empty: the data set's folder of the cache.
  std::string path = {};
  bool download = false;  // true: files that are missing there are fetched
};

/// MNIST (LeCun, Cortes and Burges 1998) as {training, test} data: x uint8 (rows, 28, 28, 1), y int64 (rows) from 0 to
/// 9. The number of images comes from the files. Downloads are compared with the SHA-256 that is known of each file.
/// Throws DataError, naming the file, when one is missing, is cut short, or does not fit the others.
std::pair<Dataset, Dataset> mnist(const MnistOptions& options = {});

/// Fashion-MNIST (Xiao, Rasul and Vollgraf 2017), in the same form. Without a path the folder of Debian's package
/// dataset-fashion-mnist is used where it is installed.
std::pair<Dataset, Dataset> fashion_mnist(const MnistOptions& options = {});

}  // namespace tandem::datasets
