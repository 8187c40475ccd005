#include "tandem/layers/reshape.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include "tandem/core/error.h"

namespace tandem::layers {
namespace {

class ReshapeLayer : public Layer {
 public:
  explicit ReshapeLayer(Shape target) : target_(std::move(target)) {
    int64_t open = 0;
    for (const int64_t n : target_) {
      if (n == Shape::kUnknown) {
        ++open;
      } else if (n <= 0) {
        throw InvalidArgument(c10::str("Reshape: target_shape must hold positive sizes or -1, got ", n));
      } else if (__builtin_mul_overflow(fixed_, n, &fixed_)) {
        throw InvalidArgument(c10::str("Reshape: target_shape has more elements than can be counted, got ", target_));
      }
    }
    if (open > 1) throw InvalidArgument(c10::str("Reshape: target_shape must hold -1 at most once, got ", open));
    has_open_ = open == 1;
  }

  std::string class_name() const override { return "Reshape"; }
  Config get_config() const override { return Config::object({{"target_shape", Config::list(target_.sizes())}}); }

  void build(const Shape& input) override { output_shape(input); }

  Shape output_shape(const Shape& input) override {
    if (input.empty()) throw_shape_error(*this, "input must have a batch axis", input);
    const Shape row = input.without_batch();
    if (!row.is_known()) return target_.with_batch(input[0]);
    if (!fits(row.count())) throw_wrong_size(input);
    Shape out = target_.with_batch(input[0]);
    for (int64_t axis = 1; axis < out.rank(); ++axis) {
      if (out[axis] == Shape::kUnknown) out[axis] = row.count() / fixed_;
    }
    return out;
  }

  Tensor call(const Tensor& x, const CallContext&) override {
    int64_t values = 1;
    for (int64_t axis = 1; axis < x.dim(); ++axis) values *= x.size(axis);
    if (x.dim() == 0 || !fits(values)) throw_wrong_size(Shape::of(x.sizes().vec()));
    at::DimVector sizes{x.size(0)};  // the open size is written out, since no rows leave it open to LibTorch
    for (const int64_t n : target_) sizes.push_back(n == Shape::kUnknown ? values / fixed_ : n);
    return x.reshape(sizes);
  }

 private:
  bool fits(int64_t values) const { return has_open_ ? values % fixed_ == 0 : values == fixed_; }

  [[noreturn]] void throw_wrong_size(const Shape& got) const {
    throw_shape_error(*this,
                      c10::str("each row of the input must have ", has_open_ ? "a multiple of " : "", fixed_,
                               " values, to become ", target_.with_batch()),
                      got);
  }

  Shape target_;
  int64_t fixed_ = 1;  // product of the sizes that are given
  bool has_open_ = false;
};

}  // namespace

Reshape::Reshape(Shape target_shape, ReshapeOptions options)
    : LayerHandle(make_remembered<ReshapeLayer>(options.name, std::move(target_shape))) {}

Reshape Reshape::from_config(const Config& config) { return Reshape(Shape::of(config.at("target_shape").as_ints())); }

}  // namespace tandem::layers
