#pragma once
#include <string>

#include "tandem/layers/image_layer.h"
#include "tandem/layers/sides.h"

namespace tandem {

/// ZeroPadding1D, ZeroPadding2D and ZeroPadding3D.
class ZeroPaddingLayer : public ImageLayer {
 public:
  /// Throws InvalidArgument on negative sides.
  ZeroPaddingLayer(std::string class_name, Sides padding);

  std::string class_name() const override { return class_name_; }
  Config get_config() const override;

 protected:
  Shape shape_for(const Shape& images) const override;
  Tensor compute(const Tensor& images) const override;

 private:
  std::string class_name_;
  Sides padding_;
};

}  // namespace tandem
