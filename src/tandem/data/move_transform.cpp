#include "tandem/data/move_transform.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <string>
#include <utility>

#include "tandem/data/image_inputs.h"
#include "tandem/kernels/image_warp.h"

namespace tandem::data {
namespace {

// draw(i, size) is the map of row i.
template <class Draw>
Batch move_images(Batch batch, const std::string& where, std::size_t rows, const kernels::Fill& fill,
                  const Draw& draw) {
  for (Tensor* images : image_inputs(batch, where.c_str())) {
    const auto size = kernels::image_size(*images, where.c_str());
    Tensor moved = at::empty(images->sizes(), at::kFloat);
    float* to = moved.mutable_data_ptr<float>();
    kernels::with_pixels(*images, [&](const auto* from) {
      for (std::size_t i = 0; i < rows; ++i, from += size.count(), to += size.count())
        kernels::warp_image(from, to, size, draw(i, size), fill);
    });
    *images = std::move(moved);
  }
  return batch;
}

class FunctionMove : public MoveTransform {
 public:
  using Function = std::function<kernels::AffineMap(const RandomStream&, const kernels::ImageSize&)>;

  FunctionMove(std::string class_name, const kernels::Fill& fill, Function draw)
      : class_name_(std::move(class_name)), fill_(fill), draw_(std::move(draw)) {}
  kernels::AffineMap draw(const RandomStream& row, const kernels::ImageSize& size) const override {
    return draw_(row, size);
  }
  const kernels::Fill* fill() const override { return &fill_; }
  std::string class_name() const override { return class_name_; }

 private:
  std::string class_name_;
  kernels::Fill fill_;
  Function draw_;
};

}  // namespace

std::shared_ptr<const Transform> make_move(
    std::string class_name, const FillOptions& options,
    std::function<kernels::AffineMap(const RandomStream& row, const kernels::ImageSize& size)> draw) {
  return std::make_shared<FunctionMove>(std::move(class_name), options.fill(), std::move(draw));
}

Batch MoveTransform::apply(Batch batch, std::span<const RandomStream> rows) const {
  return move_images(std::move(batch), class_name(), rows.size(), fill() ? *fill() : kernels::Fill(),
                     [&](std::size_t i, const kernels::ImageSize& size) { return draw(rows[i], size); });
}

Batch apply_moves(std::span<const MoveTransform* const> moves, Batch batch, std::span<const RandomStream> rows,
                  uint64_t place) {
  const auto filling = std::find_if(moves.begin(), moves.end(), [](const auto* move) { return move->fill(); });
  return move_images(std::move(batch), moves.front()->class_name(), rows.size(), *(*filling)->fill(),
                     [&](std::size_t i, const kernels::ImageSize& size) {
                       kernels::AffineMap map;
                       for (std::size_t k = 0; k < moves.size(); ++k)
                         map = map.then(moves[k]->draw(rows[i].fold(place + k), size));
                       return map;
                     });
}

}  // namespace tandem::data
