#pragma once
#include <cstdint>
#include <string>

#include "tandem/data/dataset.h"

namespace tandem::cli {

/// What `--data NAME[:PATH]` stands for: rows to train on, and the test part, which validates. Targets are class ids.
struct NamedData {
  Dataset train, validation;
  int64_t classes = 0;
};

/// "digits" (built in, a stratified fifth of it is the test part), "cifar10[:DIR]". Throws InvalidArgument on an
/// unknown name, DataError on files that are missing or damaged.
NamedData load_data(const std::string& argument);

/// What `--validation-split F` makes of what load_data gave: the last share of the training rows validates instead of
/// the test part; as in Keras floor(rows * (1 - F)) are left to train on. Throws InvalidArgument unless rows are left
/// on both sides.
NamedData split_validation(const NamedData& data, double fraction);

}  // namespace tandem::cli
