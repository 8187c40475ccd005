#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "tandem/data/fill_options.h"
#include "tandem/data/transform.h"
#include "tandem/kernels/affine_map.h"
#include "tandem/kernels/fill_mode.h"

namespace tandem::data {

/// A transform that moves the pixels of each image. Neighbours in a chain are combined, so that pixels are mixed once.
class MoveTransform : public Transform {
 public:
  /// To float32.
  Batch apply(Batch batch, std::span<const RandomStream> rows) const override;
  /// Where the pixels of a row's images, of `size`, come from; `row` is the row's stream.
  virtual kernels::AffineMap draw(const RandomStream& row, const kernels::ImageSize& size) const = 0;
  /// What comes in from beyond the edges; null where nothing does, as with flips.
  virtual const kernels::Fill* fill() const = 0;
};

/// `moves` one after the other with one resampling; at least one has a fill, and no two have different ones. Move k
/// draws from rows[i].fold(place + k) for row i.
Batch apply_moves(std::span<const MoveTransform* const> moves, Batch batch, std::span<const RandomStream> rows,
                  uint64_t place);

/// A move that is a function of a row's stream and the size of its images: what RandomShift, RandomRotation, RandomZoom
/// and RandomShear hold. Throws InvalidArgument on an unknown fill mode.
std::shared_ptr<const Transform> make_move(
    std::string class_name, const FillOptions& options,
    std::function<kernels::AffineMap(const RandomStream& row, const kernels::ImageSize& size)> draw);

}  // namespace tandem::data
