#include "tandem/layers/permute.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include <algorithm>

#include "tandem/core/error.h"

namespace tandem::layers {
namespace {

class PermuteLayer : public Layer {
 public:
  explicit PermuteLayer(const std::vector<int64_t>& dims) : axes_{0} {
    axes_.insert(axes_.end(), dims.begin(), dims.end());
    auto sorted = dims;
    std::sort(sorted.begin(), sorted.end());
    for (std::size_t i = 0; i < sorted.size(); ++i) {
      if (sorted[i] == static_cast<int64_t>(i) + 1) continue;
      throw InvalidArgument(c10::str("Permute: dims must be 1, 2, ..., ", dims.size(), " in some order, got ",
                                     Config::list(dims).shown()));
    }
  }

  std::string class_name() const override { return "Permute"; }
  Config get_config() const override {
    return Config::object({{"dims", Config::list({axes_.begin() + 1, axes_.end()})}});
  }

  void build(const Shape& input) override { check_rank(input); }

  Shape output_shape(const Shape& input) override {
    check_rank(input);
    Shape out = input;
    for (int64_t i = 0; i < out.rank(); ++i) out[i] = input[axes_[static_cast<std::size_t>(i)]];
    return out;
  }

  Tensor call(const Tensor& x, const CallContext&) override {
    if (x.dim() != rank()) check_rank(Shape::of(x.sizes().vec()));
    return x.permute(axes_).contiguous();
  }

 private:
  int64_t rank() const { return static_cast<int64_t>(axes_.size()); }
  void check_rank(const Shape& input) const {
    if (input.rank() != rank()) throw_shape_error(*this, c10::str("input must have rank ", rank()), input);
  }

  std::vector<int64_t> axes_;  // 0 for the batch, then dims
};

}  // namespace

Permute::Permute(std::vector<int64_t> dims, PermuteOptions options)
    : LayerHandle(make_remembered<PermuteLayer>(options.name, std::move(dims))) {}

Permute Permute::from_config(const Config& config) { return Permute(config.at("dims").as_ints()); }

}  // namespace tandem::layers
