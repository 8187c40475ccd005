#include "tandem/layers/repeat_vector.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include "tandem/core/error.h"

namespace tandem::layers {
namespace {

class RepeatVectorLayer : public Layer {
 public:
  explicit RepeatVectorLayer(int64_t n) : n_(n) {
    if (n_ <= 0) throw InvalidArgument(c10::str("RepeatVector: n must be positive, got ", n_));
  }

  std::string class_name() const override { return "RepeatVector"; }
  Config get_config() const override { return Config::object({{"n", n_}}); }
  void build(const Shape& input) override { output_shape(input); }

  Shape output_shape(const Shape& input) override {
    if (input.rank() != 2) throw_shape_error(*this, "input must have rank 2 (batch, features)", input);
    return {input[0], n_, input[1]};
  }

  Tensor call(const Tensor& x, const CallContext&) override {
    if (x.dim() != 2) output_shape(Shape::of(x.sizes().vec()));
    return x.unsqueeze(1).expand({x.size(0), n_, x.size(1)}).contiguous();
  }

 private:
  int64_t n_;
};

}  // namespace

RepeatVector::RepeatVector(int64_t n, RepeatVectorOptions options)
    : LayerHandle(make_remembered<RepeatVectorLayer>(options.name, n)) {}

RepeatVector RepeatVector::from_config(const Config& config) { return RepeatVector(config.at("n").as_int()); }

}  // namespace tandem::layers
