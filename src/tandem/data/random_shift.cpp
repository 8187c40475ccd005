#include "tandem/data/random_shift.h"

#include <c10/util/StringUtil.h>

#include <array>

#include "tandem/core/error.h"
#include "tandem/data/move_transform.h"

namespace tandem::data {

// A row draws two numbers, the vertical one first.
RandomShift::RandomShift(double fraction, const FillOptions& options)
    : TransformHandle(make_move("RandomShift", options, [=](const RandomStream& row, const kernels::ImageSize& size) {
        std::array<float, 2> drawn;
        row.uniform(drawn);
        return kernels::AffineMap{.y = (2.0 * drawn[0] - 1) * fraction * static_cast<double>(size.height),
                                  .x = (2.0 * drawn[1] - 1) * fraction * static_cast<double>(size.width)};
      })) {
  if (!(fraction >= 0 && fraction < 1)) {
    throw InvalidArgument(c10::str("RandomShift: the fraction must be at least 0 and below 1, got ", fraction));
  }
}

}  // namespace tandem::data
