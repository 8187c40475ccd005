#include "data_argument.h"

#include <c10/util/StringUtil.h>

#include <cmath>
#include <functional>
#include <numeric>
#include <vector>

#include "tandem/core/catalog.h"
#include "tandem/data/cifar10.h"
#include "tandem/data/digits.h"
#include "tandem/data/split.h"
#include "tandem/data/subset_source.h"

namespace tandem::cli {
namespace {

using Loader = std::function<NamedData(const std::string& path)>;

NamedData load_digits(const std::string& path) {
  if (!path.empty()) throw InvalidArgument(c10::str("--data digits: is built in and takes no path, got '", path, "'"));
  // One fixed division, so that every run validates on the same rows.
  auto [train, test] = data::split(datasets::digits(), {0.8, 0.2}, {.shuffle = true, .seed = 0, .stratify = true});
  return {train, test, 10};
}

NamedData load_cifar10(const std::string& path) {
  datasets::Cifar10Options options;
  if (!path.empty()) options.path = path;
  auto [train, test] = datasets::cifar10(options);
  return {train, test, 10};
}

const Catalog<Loader>& named_data() {
  static const Catalog<Loader> catalog("data set", {{"digits", load_digits}, {"cifar10", load_cifar10}});
  return catalog;
}

}  // namespace

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
  return {part(0, first), part(first, rows), data.classes};
}

}  // namespace tandem::cli
