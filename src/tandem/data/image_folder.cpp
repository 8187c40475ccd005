#include "tandem/data/image_folder.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <memory>
#include <numeric>

#include "tandem/core/error.h"
#include "tandem/data/image_file.h"
#include "tandem/data/image_resizer.h"
#include "tandem/data/row_files.h"
#include "tandem/data/to_categorical.h"

namespace tandem::datasets {
namespace {

namespace fs = std::filesystem;

class ImageFolderSource : public data::Source, public data::RowFiles {
 public:
  ImageFolderSource(std::vector<std::string> files, Tensor labels, data::ImageResizer resizer, int64_t channels)
      : files_(std::move(files)), labels_(std::move(labels)), resizer_(resizer), channels_(channels) {}

  int64_t size() const override { return static_cast<int64_t>(files_.size()); }

  data::Batch get(std::span<const int64_t> rows) const override {
    data::Batch batch;
    Tensor x =
        at::empty({static_cast<int64_t>(rows.size()), resizer_.height(), resizer_.width(), channels_}, at::kFloat);
    auto* image = x.mutable_data_ptr<float>();
    for (const int64_t row : rows) {
      if (row < 0 || row >= size())
        throw DataError(c10::str("image_folder: row ", row, " does not exist, it has ", size(), " rows"));
      resizer_(data::decode_image(files_[static_cast<std::size_t>(row)], channels_), image);
      image += resizer_.height() * resizer_.width() * channels_;
    }
    batch.x.push_back(std::move(x));
    if (labels_.defined()) {
      const std::vector<int64_t> chosen(rows.begin(), rows.end());
      batch.y.push_back(labels_.index_select(0, at::tensor(chosen)));
    }
    return batch;
  }

  Tensors targets() const override { return labels_.defined() ? Tensors(labels_) : Tensors(); }

  std::vector<int64_t> files() const override {
    std::vector<int64_t> numbers(files_.size());
    std::iota(numbers.begin(), numbers.end(), int64_t{0});
    return numbers;
  }

 private:
  std::vector<std::string> files_;
  Tensor labels_;  // undefined: none
  data::ImageResizer resizer_;
  int64_t channels_;
};

bool is_picture(const fs::path& file) {
  std::string ending = file.extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(), [](unsigned char c) { return std::tolower(c); });
  if (ending == ".bmp" || ending == ".gif")
    throw DataError(
        c10::str("image_folder: ", file.string(), ": BMP and GIF pictures are not read; convert it to PNG"));
  return ending == ".jpg" || ending == ".jpeg" || ending == ".png";
}

// Folder by folder in sorted order, the files of each in sorted order, as Keras lists them.
std::vector<std::string> pictures_below(const fs::path& folder) {
  std::vector<fs::path> folders{folder};
  std::vector<fs::path> files;
  std::error_code error;
  fs::recursive_directory_iterator entries(folder, error), end;
  for (std::error_code unknown; !error && entries != end; entries.increment(error)) {
    if (entries->is_regular_file(unknown) && is_picture(entries->path())) files.push_back(entries->path());
  }
  if (error) throw DataError(c10::str("image_folder: cannot read ", folder.string(), ": ", error.message()));
  std::sort(files.begin(), files.end(), [](const fs::path& a, const fs::path& b) {
    const auto left = a.parent_path().string(), right = b.parent_path().string();
    return left != right ? left < right : a.filename().string() < b.filename().string();
  });
  std::vector<std::string> names;
  for (const auto& file : files) names.push_back(file.string());
  return names;
}

std::vector<std::string> class_folders(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error, unknown;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const auto name = entry.path().filename().string();
    if (entry.is_directory(unknown) && !name.starts_with('.')) names.push_back(name);
  }
  if (error) throw DataError(c10::str("image_folder: cannot read the folder ", folder.string(), ": ", error.message()));
  if (names.empty())
    throw DataError(c10::str("image_folder: ", folder.string(), " must hold a folder for each class, it has none"));
  std::sort(names.begin(), names.end());
  return names;
}

// The wanted class names, each of which must be a folder.
std::vector<std::string> chosen_classes(const ImageFolderOptions& options) {
  const auto there = class_folders(options.path);
  for (const auto& name : options.class_names) {
    if (std::find(there.begin(), there.end(), name) == there.end())
      throw_unknown_name(c10::str("image_folder: class folder in ", options.path), name, there);
  }
  return options.class_names.empty() ? there : options.class_names;
}

Tensor encoded(const std::vector<int64_t>& ids, const std::string& mode, int64_t classes) {
  const Tensor labels = at::tensor(ids);
  if (mode == "categorical") return to_categorical(labels, classes);
  if (mode == "binary") return labels.to(at::kFloat).unsqueeze(1);
  return labels;
}

void check_label_mode(const ImageFolderOptions& options) {
  const auto& mode = options.label_mode;
  if (mode != "int" && mode != "categorical" && mode != "binary" && mode != "none")
    throw_unknown_name("image_folder: label_mode", mode, {"int", "categorical", "binary", "none"});
  if (mode == "none" && !options.class_names.empty())
    throw InvalidArgument("image_folder: class_names have no meaning with label_mode 'none'");
}

}  // namespace

data::LabelledDataset image_folder(const ImageFolderOptions& options) {
  check_label_mode(options);
  const int64_t channels = data::channels_of(options.color_mode, "image_folder");
  const auto [height, width] = options.image_size;
  const data::ImageResizer resizer(height, width, options.interpolation, "image_folder");
  std::vector<std::string> files, classes;
  Tensor labels;
  if (options.label_mode == "none") {
    files = pictures_below(options.path);
  } else {
    classes = chosen_classes(options);
    std::vector<int64_t> ids;
    for (std::size_t i = 0; i < classes.size(); ++i) {
      const auto more = pictures_below(fs::path(options.path) / classes[i]);
      files.insert(files.end(), more.begin(), more.end());
      ids.resize(files.size(), static_cast<int64_t>(i));
    }
    if (options.label_mode == "binary" && classes.size() != 2)
      throw DataError(
          c10::str("image_folder: label_mode 'binary' needs 2 classes, ", options.path, " has ", classes.size()));
    if (!ids.empty()) labels = encoded(ids, options.label_mode, static_cast<int64_t>(classes.size()));
  }
  if (files.empty())
    throw DataError(c10::str("image_folder: ", options.path, " must hold .jpg, .jpeg or .png pictures, it has none"));
  return {Dataset(std::make_shared<ImageFolderSource>(std::move(files), labels, resizer, channels)), classes};
}

}  // namespace tandem::datasets
