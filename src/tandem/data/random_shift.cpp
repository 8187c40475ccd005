#include "tandem/data/random_shift.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include <array>
#include <memory>
#include <utility>
#include <vector>

#include "tandem/core/error.h"
#include "tandem/data/image_inputs.h"

namespace tandem::data {

RandomShift::RandomShift(double fraction, const RandomShiftOptions& options)
    : TransformHandle(std::make_shared<RandomShiftTransform>(fraction, options)) {}

RandomShiftTransform::RandomShiftTransform(double fraction, const RandomShiftOptions& options)
    : fraction_(fraction), fill_{kernels::fill_mode(options.fill_mode), static_cast<float>(options.cval)} {
  if (!(fraction >= 0 && fraction < 1)) {
    throw InvalidArgument(c10::str("RandomShift: the fraction must be at least 0 and below 1, got ", fraction));
  }
}

// A row draws two numbers, the vertical one first; all its images move alike.
Batch RandomShiftTransform::apply(Batch batch, std::span<const RandomStream> rows,
                                  const std::vector<bool>& mirrored) const {
  for (Tensor* images : image_inputs(batch, "RandomShift")) {
    const auto height = static_cast<double>(images->size(1)), width = static_cast<double>(images->size(2));
    std::vector<kernels::ImageShift> shifts;
    shifts.reserve(rows.size());
    for (const RandomStream& row : rows) {
      std::array<float, 2> drawn;
      row.uniform(drawn);
      shifts.push_back({.dy = (2.0 * drawn[0] - 1) * fraction_ * height,
                        .dx = (2.0 * drawn[1] - 1) * fraction_ * width,
                        .flip = !mirrored.empty() && mirrored[shifts.size()]});
    }
    *images = kernels::shift_images(*images, shifts, fill_);
  }
  return batch;
}

}  // namespace tandem::data
