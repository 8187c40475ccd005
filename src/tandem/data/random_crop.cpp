#include "tandem/data/random_crop.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "tandem/core/error.h"
#include "tandem/data/byte_value.h"
#include "tandem/data/image_inputs.h"
#include "tandem/kernels/fill_mode.h"
#include "tandem/kernels/image_batch.h"

namespace tandem::data {
namespace {

constexpr uint64_t kTop = 0, kLeft = 1;  // elements of a row's stream

class RandomCropTransform : public Transform {
 public:
  RandomCropTransform(int64_t height, int64_t width, const RandomCropOptions& options)
      : height_(height),
        width_(width),
        padding_(options.padding),
        mode_(kernels::fill_mode(options.fill_mode)),
        cval_(options.cval) {
    if (height < 1 || width < 1) {
      throw InvalidArgument(c10::str("RandomCrop: the size must be at least 1 x 1, got ", height, " x ", width));
    }
    if (padding_ < 0) throw InvalidArgument(c10::str("RandomCrop: padding must not be negative, got ", padding_));
  }

  Batch apply(Batch batch, std::span<const RandomStream> rows) const override {
    for (Tensor* images : image_inputs(batch, "RandomCrop")) {
      const auto size = kernels::image_size(*images, "RandomCrop");
      check(size);
      Tensor cut = at::empty({images->size(0), height_, width_, size.channels}, images->options());
      if (images->scalar_type() == at::kByte) {
        crop_all(images->const_data_ptr<uint8_t>(), cut.mutable_data_ptr<uint8_t>(),
                 byte_value(cval_, "RandomCrop: cval"), size, rows);
      } else {
        crop_all(images->const_data_ptr<float>(), cut.mutable_data_ptr<float>(), static_cast<float>(cval_), size, rows);
      }
      *images = std::move(cut);
    }
    return batch;
  }

  std::string class_name() const override { return "RandomCrop"; }

 private:
  void check(const kernels::ImageSize& size) const {
    if (size.height + 2 * padding_ < height_ || size.width + 2 * padding_ < width_) {
      throw InvalidArgument(c10::str("RandomCrop: images must be at least ", height_, " x ", width_,
                                     " with their padding of ", padding_, ", got ", size.height, " x ", size.width));
    }
  }

  // Position `i` of the padded axis as one of the image's n pixels; -1: the constant.
  int64_t place(int64_t i, int64_t n) const {
    const auto tap = kernels::axis_tap(static_cast<double>(i - padding_), n, mode_);
    return tap.inside ? tap.low : -1;
  }

  template <class T>
  void crop_all(const T* from, T* to, T value, const kernels::ImageSize& size,
                std::span<const RandomStream> rows) const {
    std::vector<int64_t> columns(static_cast<std::size_t>(width_));
    for (const RandomStream& row : rows) {
      const int64_t top = row.below(size.height + 2 * padding_ - height_ + 1, kTop);
      const int64_t left = row.below(size.width + 2 * padding_ - width_ + 1, kLeft);
      for (int64_t j = 0; j < width_; ++j) columns[static_cast<std::size_t>(j)] = place(left + j, size.width);
      for (int64_t i = 0; i < height_; ++i, to += width_ * size.channels) {
        const int64_t line = place(top + i, size.height);
        crop_line(line < 0 ? nullptr : from + line * size.row(), to, value, columns, size.channels);
      }
      from += size.count();
    }
  }

  template <class T>
  static void crop_line(const T* line, T* to, T value, const std::vector<int64_t>& columns, int64_t channels) {
    for (const int64_t column : columns) {
      if (line && column >= 0) {
        std::copy_n(line + column * channels, channels, to);
      } else {
        std::fill_n(to, channels, value);
      }
      to += channels;
    }
  }

  int64_t height_, width_, padding_;
  kernels::FillMode mode_;
  double cval_;
};

}  // namespace

RandomCrop::RandomCrop(int64_t height, int64_t width, const RandomCropOptions& options)
    : TransformHandle(std::make_shared<RandomCropTransform>(height, width, options)) {}

}  // namespace tandem::data
