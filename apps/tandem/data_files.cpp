#include "data_files.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "tandem/core/error.h"
#include "tandem/data/csv.h"
#include "tandem/data/image_folder.h"
#include "tandem/data/npy.h"
#include "tandem/data/npz.h"

namespace tandem::cli {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> parts_of(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, separator);) parts.push_back(part);
  return parts;
}

// One more than the largest class id, or 0 when the targets are no class ids: one array of whole numbers from 0, a
// number for each row.
int64_t count_classes(const Tensors& y) {
  if (y.size() != 1) return 0;
  const Tensor& labels = y.front();
  const bool one_each = labels.dim() == 1 || (labels.dim() == 2 && labels.size(1) == 1);
  if (!one_each || labels.numel() == 0 || !at::isIntegralType(labels.scalar_type(), /*includeBool=*/false)) return 0;
  return labels.min().item<int64_t>() < 0 ? 0 : labels.max().item<int64_t>() + 1;
}

// What holds test rows beside DIR/train; "" when there is no such division.
std::string test_folder(const fs::path& path) {
  std::error_code unknown;
  for (const char* name : {"validation", "val", "test"}) {
    if (fs::is_directory(path / "train", unknown) && fs::is_directory(path / name, unknown))
      return (path / name).string();
  }
  return "";
}

NamedData read_pictures(const std::string& path, const datasets::ImageFolderOptions& settings) {
  auto options = settings;
  const auto test = test_folder(path);
  options.path = test.empty() ? path : (fs::path(path) / "train").string();
  const auto train = datasets::image_folder(options);
  NamedData data{.train = train};
  data.class_names = train.class_names();
  data.classes = static_cast<int64_t>(data.class_names.size());
  if (!test.empty()) {
    options.path = test;
    options.class_names = data.class_names;  // the same ids
    data.validation = datasets::image_folder(options);
  }
  return data;
}

}  // namespace

NamedData load_npz_file(const std::string& path) {
  const auto names = npz_names(path);
  const auto has = [&](const char* name) { return std::find(names.begin(), names.end(), name) != names.end(); };
  const bool tested = has("x_test") || has("y_test");
  std::vector<std::string> wanted{"x_train", "y_train"};
  if (tested) wanted.insert(wanted.end(), {"x_test", "y_test"});
  const auto arrays = load_npz(path, wanted);
  NamedData data{.train = data::TensorDataset(arrays.at("x_train"), arrays.at("y_train"))};
  data.classes = count_classes(arrays.at("y_train"));
  if (tested) {
    data.validation = data::TensorDataset(arrays.at("x_test"), arrays.at("y_test"));
    const int64_t in_test = count_classes(arrays.at("y_test"));
    data.classes = data.classes == 0 || in_test == 0 ? 0 : std::max(data.classes, in_test);
  }
  return data;
}

NamedData load_npy_files(const std::string& list) {
  const auto sides = parts_of(list, ',');
  if (sides.size() != 2)
    throw InvalidArgument(c10::str("--data npy:", list, ": must name X.npy,Y.npy, or X0.npy+X1.npy,Y.npy for several"));
  const auto load = [](const std::string& side) {
    Tensors arrays;
    for (const auto& file : parts_of(side, '+')) arrays.push_back(load_npy(file, {.memory_map = true}));
    return arrays;
  };
  const Tensors y = load(sides[1]);
  return {.train = data::TensorDataset(load(sides[0]), y), .classes = count_classes(y)};
}

NamedData load_folder(const std::string& path) {
  NamedData data = read_pictures(path, {});
  data.at_shape = [path](const Shape& image) {
    datasets::ImageFolderOptions options;
    if (image.rank() == 3 && image[0] > 0 && image[1] > 0) options.image_size = {image[0], image[1]};
    if (image.rank() == 3 && image[2] == 1) options.color_mode = "grayscale";
    if (image.rank() == 3 && image[2] == 4) options.color_mode = "rgba";
    return read_pictures(path, options);
  };
  return data;
}

NamedData load_csv_file(const std::string& path) {
  const auto rows = datasets::csv({.path = path});
  return {.train = rows, .classes = static_cast<int64_t>(rows.class_names().size()), .class_names = rows.class_names()};
}

}  // namespace tandem::cli
