#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tandem/core/shape.h"
#include "tandem/data/dataset.h"

namespace tandem::cli {

/// What `--data NAME[:PATH]` stands for: rows to train on, and the test part, where there is one, which validates.
struct NamedData {
  Dataset train;
  std::optional<Dataset> validation = std::nullopt;
  int64_t classes = 0;                        // targets are class ids below this; 0: they are taken as they are
  std::vector<std::string> class_names = {};  // what the ids stand for, where names are known
  /// Where pictures come from files: the same rows decoded to the shape (height, width, channels).
  std::function<NamedData(const Shape& image)> at_shape = {};

  /// Units that a model's output needs: the number of classes, or the last size of a target.
  int64_t outputs() const;
  /// A line for the log that names the classes; none without names.
  std::vector<std::string> describe() const;
};

/// How --data is written, for the help text.
inline constexpr auto kDataForms =
    "digits (built in) | fashion-mnist[:DIR] | mnist[:DIR] | cifar10[:DIR] | npz:FILE | npy:X.npy,Y.npy | folder:DIR | "
    "csv:FILE";

/// Throws InvalidArgument on an unknown name, DataError on files that are missing or damaged.
///   digits                          built in; a stratified fifth of it is the test part
///   mnist, fashion-mnist, cifar10   without a folder: that of the cache, where missing files are downloaded
///   npz:FILE                        x_train, y_train and, where there are, x_test, y_test
///   npy:X.npy,Y.npy                 no test part; several: X0.npy+X1.npy,Y0.npy+Y1.npy; X is not read into memory
///   folder:DIR                      pictures in a folder for each class; DIR may hold such folders as train and test
///   csv:FILE                        the last column is the label; no test part
NamedData load_data(const std::string& argument);

/// What `--validation-split F` makes of what load_data gave: the last share of the training rows validates instead of
/// the test part; as in Keras floor(rows * (1 - F)) are left to train on. Throws InvalidArgument unless rows are left
/// on both sides.
NamedData split_validation(const NamedData& data, double fraction);

}  // namespace tandem::cli
