#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "tandem/data/labelled_dataset.h"

namespace tandem::datasets {

struct ImageFolderOptions {
  std::string path = {};
  std::string label_mode = "int";             // "int", "categorical", "binary" or "none"
  std::vector<std::string> class_names = {};  // some of the folders, in an order of their own
  std::string color_mode = "rgb";             // "rgb", "rgba" or "grayscale"
  std::array<int64_t, 2> image_size = {256, 256};
  std::string interpolation = "bilinear";  // or "nearest"
};

/// Pictures in a folder for each class, as keras.utils.image_dataset_from_directory: class ids by the sorted names of
/// the folders, or as `class_names` lists them; in each all .jpg, .jpeg and .png below it in sorted order. x float32
/// (rows, height, width, channels) from 0 to 255; y int64 (rows), "categorical": float32 (rows, classes), "binary":
/// float32 (rows, 1), "none": no y, and the pictures may lie anywhere below `path`.
///
/// The files are listed now and read when their rows are: on the loader's threads, one by one, never all at once (x()
/// does read all). Throws DataError when there is no picture, no folder, or a .bmp or .gif, which are not read; a row
/// whose file is damaged throws DataError that names it. Shuffle and split the result: they take the place of Keras's
/// shuffle, seed, validation_split and subset.
data::LabelledDataset image_folder(const ImageFolderOptions& options);

}  // namespace tandem::datasets
