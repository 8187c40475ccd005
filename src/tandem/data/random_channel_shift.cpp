#include "tandem/data/random_channel_shift.h"

#include <ATen/ATen.h>

#include <memory>
#include <utility>

#include "tandem/data/change_images.h"
#include "tandem/data/range.h"
#include "tandem/kernels/image_values.h"

namespace tandem::data {
namespace {

class RandomChannelShiftTransform : public Transform {
 public:
  explicit RandomChannelShiftTransform(double range) : range_(Range::around_zero(range)) {
    check_spread(range, "RandomChannelShift: the range");
  }

  Batch apply(Batch batch, std::span<const RandomStream> rows) const override {
    return change_images(
        std::move(batch), "RandomChannelShift", [&](std::size_t i, float* image, const kernels::ImageSize& size) {
          kernels::shift_values(image, size.count(), static_cast<float>(range_.at(rows[i].uniform_at(0))));
        });
  }

  std::string class_name() const override { return "RandomChannelShift"; }

 private:
  Range range_;
};

}  // namespace

RandomChannelShift::RandomChannelShift(double range)
    : TransformHandle(std::make_shared<RandomChannelShiftTransform>(range)) {}

}  // namespace tandem::data
