#include "tandem/data/random_rotation.h"

#include "tandem/data/move_transform.h"
#include "tandem/data/range.h"

namespace tandem::data {

RandomRotation::RandomRotation(double degrees, const FillOptions& options)
    : TransformHandle(
          make_move("RandomRotation", options, [=](const RandomStream& row, const kernels::ImageSize& size) {
            const double angle = Range::around_zero(degrees).at(row.uniform_at(0));
            return kernels::affine_map({.theta = angle}, kernels::image_middle(size));
          })) {
  check_spread(degrees, "RandomRotation: degrees");
}

}  // namespace tandem::data
