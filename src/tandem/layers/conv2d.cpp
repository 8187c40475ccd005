#include "tandem/layers/conv2d.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <c10/util/StringUtil.h>

#include <array>

#include "tandem/core/error.h"
#include "tandem/layers/serialization.h"
#include "tandem/layers/window.h"

namespace tandem::layers {
namespace {

class Conv2DLayer : public Layer {
 public:
  Conv2DLayer(int64_t filters, Size2D kernel_size, Conv2DOptions options)
      : filters_(filters),
        kernel_size_(kernel_size),
        options_(std::move(options)),
        padding_(parse_padding("Conv2D", options_.padding)) {
    const auto must_be_positive = [](const char* what, int64_t n) {
      if (n <= 0) throw InvalidArgument(c10::str("Conv2D: ", what, " must be positive, got ", n));
    };
    must_be_positive("filters", filters_);
    must_be_positive("groups", options_.groups);
    for (int64_t axis : {0, 1}) {
      must_be_positive("kernel_size", kernel_size_[axis]);
      must_be_positive("strides", options_.strides[axis]);
      must_be_positive("dilation_rate", options_.dilation_rate[axis]);
      windows_[axis] = {kernel_size_[axis], options_.strides[axis], options_.dilation_rate[axis]};
    }
    if (filters_ % options_.groups != 0) {
      throw InvalidArgument(
          c10::str("Conv2D: filters must be a multiple of groups (", options_.groups, "), got ", filters_));
    }
    const bool strided = options_.strides != Size2D(1), dilated = options_.dilation_rate != Size2D(1);
    if (strided && dilated) throw InvalidArgument("Conv2D: strides and dilation_rate must not both be above 1");
    options_.activation.check();
  }

  std::string class_name() const override { return "Conv2D"; }

  Config get_config() const override {
    return Config::object({{"filters", filters_},
                           {"kernel_size", to_config(kernel_size_)},
                           {"strides", to_config(options_.strides)},
                           {"padding", to_string(padding_)},
                           {"data_format", "channels_last"},
                           {"dilation_rate", to_config(options_.dilation_rate)},
                           {"groups", options_.groups},
                           {"activation", to_config(options_.activation, "Conv2D")},
                           {"use_bias", options_.use_bias},
                           {"kernel_initializer", to_config(options_.kernel_initializer)},
                           {"bias_initializer", to_config(options_.bias_initializer)},
                           {"kernel_regularizer", to_config(options_.kernel_regularizer)},
                           {"bias_regularizer", to_config(options_.bias_regularizer)},
                           {"activity_regularizer", {}},
                           {"kernel_constraint", {}},
                           {"bias_constraint", {}}});
  }

  void build(const Shape& input) override {
    if (input.rank() != 4) throw_shape_error(*this, "input must have rank 4 (batch, height, width, channels)", input);
    if (input.back() <= 0) throw_shape_error(*this, "the channels of the input must be known and positive", input);
    if (input.back() % options_.groups != 0) {
      throw_shape_error(
          *this, c10::str("the channels of the input must be a multiple of groups (", options_.groups, ")"), input);
    }
    in_ = input.back();
    check_fits(input);
    kernel_ = add_weight("kernel", {kernel_size_.height(), kernel_size_.width(), in_ / options_.groups, filters_},
                         {.initializer = options_.kernel_initializer,
                          .regularizer = options_.kernel_regularizer,
                          .memory_order = {3, 0, 1, 2}});
    if (options_.use_bias) {
      bias_ = add_weight("bias", {filters_},
                         {.initializer = options_.bias_initializer, .regularizer = options_.bias_regularizer});
    }
  }

  Shape output_shape(const Shape& input) override {
    check_input(input.rank(), input);
    check_fits(input);
    return {input[0], windows_[0].outputs(input[1], padding_), windows_[1].outputs(input[2], padding_), filters_};
  }

  Tensor call(const Tensor& x, const CallContext& context) override {
    if (x.dim() != 4 || x.size(3) != in_) check_input(x.dim(), Shape::of(x.sizes().vec()));
    if (padding_ == Padding::valid && (x.size(1) < windows_[0].extent() || x.size(2) < windows_[1].extent())) {
      check_fits(Shape::of(x.sizes().vec()));
    }
    const std::optional<Tensor> bias = bias_.defined() ? std::optional(bias_.value()) : std::nullopt;
    if (is_product(x)) {
      Tensor product = at::matmul(x, kernel_.value().select(0, 0).select(0, 0));
      if (bias) product.add_(*bias);
      return options_.activation(product, context);
    }
    AxisPadding height = windows_[0].padding(x.size(1), padding_), width = windows_[1].padding(x.size(2), padding_);
    Tensor image = to_channels_first(x);
    if (!height.symmetric() || !width.symmetric()) {
      // The convolution pads both ends alike: only uneven padding costs a copy.
      image = pad_image(image, height, width, 0);
      height = width = {};
    }
    const std::array<int64_t, 2> strides = {windows_[0].stride, windows_[1].stride};
    const std::array<int64_t, 2> dilation = {windows_[0].dilation, windows_[1].dilation};
    const std::array<int64_t, 2> padding = {height.before, width.before};
    const Tensor out = at::convolution(image, kernel_.value().permute({3, 2, 0, 1}), bias, strides, padding, dilation,
                                       /*transposed=*/false, /*output_padding=*/{0, 0}, options_.groups);
    return options_.activation(to_channels_last(out), context);
  }

 private:
  // A 1x1 convolution of fewer than 16 rows on one thread: LibTorch does not give it to oneDNN but takes a path that
  // copies the image. It is a matrix product over the channels, which needs no copy.
  bool is_product(const Tensor& x) const {
    return kernel_size_ == Size2D(1) && windows_[0].stride == 1 && windows_[1].stride == 1 && options_.groups == 1 &&
           x.size(0) < 16 && x.device().is_cpu() && at::get_num_threads() == 1;
  }

  void check_input(int64_t rank, const Shape& input) const {
    if (rank != 4 || input.back() != in_) {
      throw_shape_error(*this, c10::str("input must be (batch, height, width, ", in_, "), as when it was built"),
                        input);
    }
  }

  void check_fits(const Shape& input) const {
    for (int64_t axis : {0, 1}) {
      if (windows_[axis].outputs(input[axis + 1], padding_) != 0) continue;
      throw_shape_error(*this,
                        c10::str("with padding 'valid' the image must be at least as large as the kernel (",
                                 windows_[0].extent(), ", ", windows_[1].extent(), ")"),
                        input);
    }
  }

  int64_t filters_;
  Size2D kernel_size_;
  Conv2DOptions options_;
  Padding padding_;
  std::array<Window, 2> windows_;  // along the height, along the width
  int64_t in_ = 0;
  Weight kernel_, bias_;
};

}  // namespace

Conv2D::Conv2D(int64_t filters, Size2D kernel_size, Conv2DOptions options)
    : LayerHandle(make_remembered<Conv2DLayer>(options.name, filters, kernel_size, options)) {}

Conv2D Conv2D::from_config(const Config& config) {
  check_channels_last(config, "Conv2D");
  refuse_settings(config, "Conv2D", {"activity_regularizer", "kernel_constraint", "bias_constraint", "lora_rank"});
  return Conv2D(config.at("filters").as_int(), size2d_from(config, "kernel_size", {}),
                {.strides = size2d_from(config, "strides", 1),
                 .padding = config.get("padding", "valid").as_string(),
                 .dilation_rate = size2d_from(config, "dilation_rate", 1),
                 .groups = config.get("groups", 1).as_int(),
                 .activation = activation_from(config, "activation"),
                 .use_bias = config.get("use_bias", true).as_bool(),
                 .kernel_initializer = initializer_from(config, "kernel_initializer", "glorot_uniform"),
                 .bias_initializer = initializer_from(config, "bias_initializer", "zeros"),
                 .kernel_regularizer = regularizer_from(config, "kernel_regularizer"),
                 .bias_regularizer = regularizer_from(config, "bias_regularizer")});
}

}  // namespace tandem::layers
