#include "tandem/data/cutout.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "tandem/core/error.h"
#include "tandem/data/byte_value.h"
#include "tandem/data/image_inputs.h"
#include "tandem/kernels/image_batch.h"

namespace tandem::data {
namespace {

constexpr uint64_t kMiddleLine = 0, kMiddleColumn = 1;  // elements of a row's stream

struct Stretch {
  int64_t begin, end;
};

class CutoutTransform : public Transform {
 public:
  CutoutTransform(int64_t size, double value) : size_(size), value_(value) {
    if (size < 1) throw InvalidArgument(c10::str("Cutout: the size must be at least 1 pixel, got ", size));
  }

  Batch apply(Batch batch, std::span<const RandomStream> rows) const override {
    for (Tensor* images : image_inputs(batch, "Cutout")) {
      const auto size = kernels::image_size(*images, "Cutout");
      if (images->scalar_type() == at::kByte) {
        cover_all(images->mutable_data_ptr<uint8_t>(), byte_value(value_, "Cutout: cval"), size, rows);
      } else {
        cover_all(images->mutable_data_ptr<float>(), static_cast<float>(value_), size, rows);
      }
    }
    return batch;
  }

  std::string class_name() const override { return "Cutout"; }

 private:
  // What lies inside an axis of n pixels. An even size reaches one pixel further back than forward.
  Stretch covered(int64_t middle, int64_t n) const {
    const int64_t begin = middle - size_ / 2;
    return {.begin = std::max<int64_t>(begin, 0), .end = std::min(begin + size_, n)};
  }

  template <class T>
  void cover_all(T* image, T value, const kernels::ImageSize& size, std::span<const RandomStream> rows) const {
    for (const RandomStream& row : rows) {
      const auto lines = covered(row.below(size.height, kMiddleLine), size.height);
      const auto columns = covered(row.below(size.width, kMiddleColumn), size.width);
      for (int64_t i = lines.begin; i < lines.end; ++i) {
        std::fill_n(image + i * size.row() + columns.begin * size.channels,
                    (columns.end - columns.begin) * size.channels, value);
      }
      image += size.count();
    }
  }

  int64_t size_;
  double value_;
};

}  // namespace

Cutout::Cutout(int64_t size, const CutoutOptions& options)
    : TransformHandle(std::make_shared<CutoutTransform>(size, options.cval)) {}

}  // namespace tandem::data
