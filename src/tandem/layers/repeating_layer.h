#pragma once
#include <string>
#include <vector>

#include "tandem/layers/image_layer.h"

namespace tandem {

/// UpSampling1D and UpSampling3D, which repeat each element.
class RepeatingLayer : public ImageLayer {
 public:
  /// `size`: one an axis. Throws InvalidArgument unless they are positive.
  RepeatingLayer(std::string class_name, std::vector<int64_t> size);

  std::string class_name() const override { return class_name_; }
  Config get_config() const override;

 protected:
  Shape shape_for(const Shape& images) const override;
  Tensor compute(const Tensor& images) const override;

 private:
  std::string class_name_;
  std::vector<int64_t> size_;
};

}  // namespace tandem
