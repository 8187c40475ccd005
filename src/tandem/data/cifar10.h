#pragma once
#include <string>
#include <utility>

#include "tandem/data/dataset.h"

namespace tandem::datasets {

struct Cifar10Options {
  /// The folder with the binary version's data_batch_*.bin and test_batch.bin. Empty: the data set's folder of the
  /// cache.
  std::string path = {};
  bool download = false;  // true: the files are fetched when they are missing there (170 MB)
};

/// CIFAR-10 in its binary version (https://www.cs.toronto.edu/~kriz/cifar.html) as {training, test} data: x uint8
/// (rows, 32, 32, 3), y int64 (rows) from 0 to 9. The number of images comes from each file's size; the training files
/// are read in the order of their numbers. A download is compared with the SHA-256 that is known of it. Throws
/// DataError, naming the file, when one is missing, is cut short, or holds a label above 9.
std::pair<Dataset, Dataset> cifar10(const Cifar10Options& options = {});

}  // namespace tandem::datasets
