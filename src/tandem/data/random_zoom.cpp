#include "tandem/data/random_zoom.h"

#include <array>

#include "tandem/data/move_transform.h"

namespace tandem::data {

RandomZoom::RandomZoom(const ZoomRange& range, const FillOptions& options)
    : TransformHandle(make_move("RandomZoom", options, [=](const RandomStream& row, const kernels::ImageSize& size) {
        std::array<float, 2> drawn;
        row.uniform(drawn);
        return kernels::affine_map({.zx = range.at(drawn[0]), .zy = range.at(drawn[1])}, kernels::image_middle(size));
      })) {
  check_zoom(range, "RandomZoom: the range");
}

}  // namespace tandem::data
