#include "data_argument.h"

#include <c10/util/StringUtil.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <utility>
#include <vector>

#include "data_files.h"
#include "tandem/core/catalog.h"
#include "tandem/data/cifar10.h"
#include "tandem/data/digits.h"
#include "tandem/data/mnist.h"
#include "tandem/data/split.h"
#include "tandem/data/subset_source.h"

namespace tandem::cli {
namespace {

using Loader = std::function<NamedData(const std::string& path)>;

NamedData load_digits(const std::string& path) {
  if (!path.empty()) throw InvalidArgument(c10::str("--data digits: is built in and takes no path, got '", path, "'"));
  // One fixed division, so that every run validates on the same rows.
  auto [train, test] = data::split(datasets::digits(), {0.8, 0.2}, {.shuffle = true, .seed = 0, .stratify = true});
  return {.train = train, .validation = test, .classes = 10};
}

// A data set that may be downloaded: `load` is datasets::mnist, fashion_mnist or cifar10.
template <class Options>
Loader ten_classes(std::pair<Dataset, Dataset> (*load)(const Options&)) {
  return [load](const std::string& path) -> NamedData {
    auto [train, test] = load({.path = path, .download = path.empty()});
    return {.train = train, .validation = test, .classes = 10};
  };
}

// A form that needs a path behind its name.
Loader from_files(const char* name, NamedData (*load)(const std::string&)) {
  return [name, load](const std::string& path) {
    if (path.empty()) throw InvalidArgument(c10::str("--data ", name, ": must name a path after a colon"));
    return load(path);
  };
}

const Catalog<Loader>& named_data() {
  static const Catalog<Loader> catalog("data set", {{"digits", load_digits},
                                                    {"fashion-mnist", ten_classes(datasets::fashion_mnist)},
                                                    {"mnist", ten_classes(datasets::mnist)},
                                                    {"cifar10", ten_classes(datasets::cifar10)},
                                                    {"npz", from_files("npz", load_npz_file)},
                                                    {"npy", from_files("npy", load_npy_files)},
                                                    {"folder", from_files("folder", load_folder)},
                                                    {"csv", from_files("csv", load_csv_file)}});
  return catalog;
}

}  // namespace

int64_t NamedData::outputs() const {
  if (classes > 0) return classes;
  const auto row = train.get(0);
  return row.y.empty() || row.y.front().dim() < 2 ? 1 : row.y.front().size(-1);
}

std::vector<std::string> NamedData::describe() const {
  constexpr std::size_t kMostNames = 20;
  if (class_names.empty()) return {};
  std::string line = "classes: ";
  for (std::size_t i = 0; i < std::min(class_names.size(), kMostNames); ++i)
    line += c10::str(i > 0 ? ", " : "", i, " ", class_names[i]);
  if (class_names.size() > kMostNames) line += c10::str(", ... (", class_names.size(), ")");
  return {line};
}

NamedData load_data(const std::string& argument) {
  const auto colon = argument.find(':');
  const auto name = argument.substr(0, colon);
  const auto path = colon == std::string::npos ? std::string() : argument.substr(colon + 1);
  if (colon != std::string::npos && path.empty())
    throw InvalidArgument(c10::str("--data ", argument, ": must name a path after the colon"));
  return named_data().at(name)(path);
}

NamedData split_validation(const NamedData& data, double fraction) {
  const int64_t rows = data.train.size();
  const auto first = static_cast<int64_t>(std::floor(static_cast<double>(rows) * (1 - fraction)));
  if (first < 1 || first >= rows) {
    throw InvalidArgument(
        c10::str("--validation-split: must leave rows on both sides, got ", fraction, " of ", rows, " rows"));
  }
  const auto source = data.train.source();
  const auto part = [&](int64_t begin, int64_t end) {
    std::vector<int64_t> numbers(static_cast<std::size_t>(end - begin));
    std::iota(numbers.begin(), numbers.end(), begin);
    return Dataset(std::make_shared<data::SubsetSource>(source, std::move(numbers)));
  };
  NamedData parts = data;
  parts.train = part(0, first);
  parts.validation = part(first, rows);
  return parts;
}

}  // namespace tandem::cli
