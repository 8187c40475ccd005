#pragma once
#include <cstdint>
#include <string>

#include "tandem/data/dataset.h"

namespace tandem::cli {

/// What `--data NAME[:PATH]` stands for: rows to train on and the test part, which validates. Targets are class ids.
struct NamedData {
  Dataset train, test;
  int64_t classes = 0;
};

/// "digits" (built in, a stratified fifth of it is the test part), "cifar10[:DIR]". Throws InvalidArgument on an unknown name,
/// DataError on files that are missing or damaged.
NamedData load_data(const std::string& argument);

}  // namespace tandem::cli
