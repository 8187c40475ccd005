#include "tandem/data/random_shear.h"

#include "tandem/data/move_transform.h"
#include "tandem/data/range.h"

namespace tandem::data {

RandomShear::RandomShear(double degrees, const FillOptions& options)
    : TransformHandle(make_move("RandomShear", options, [=](const RandomStream& row, const kernels::ImageSize& size) {
        const double angle = Range::around_zero(degrees).at(row.uniform_at(0));
        return kernels::affine_map({.shear = angle}, kernels::image_middle(size));
      })) {
  check_spread(degrees, "RandomShear: degrees");
}

}  // namespace tandem::data
