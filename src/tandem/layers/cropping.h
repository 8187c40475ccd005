#pragma once
#include <string>

#include "tandem/layers/image_layer.h"
#include "tandem/layers/sides.h"

namespace tandem {

/// Cropping1D, Cropping2D and Cropping3D.
class CroppingLayer : public ImageLayer {
 public:
  /// Throws InvalidArgument on negative sides.
  CroppingLayer(std::string class_name, Sides cropping);

  std::string class_name() const override { return class_name_; }
  Config get_config() const override;

 protected:
  Shape shape_for(const Shape& images) const override;
  Tensor compute(const Tensor& images) const override;

 private:
  [[noreturn]] void throw_nothing_left(const Shape& images) const;

  std::string class_name_;
  Sides cropping_;
};

}  // namespace tandem
