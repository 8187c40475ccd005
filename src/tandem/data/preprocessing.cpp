#include "tandem/data/preprocessing.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include <memory>
#include <utility>

#include "tandem/core/error.h"
#include "tandem/data/mean_image.h"
#include "tandem/kernels/image_channels.h"
#include "tandem/kernels/image_resize.h"
#include "tandem/kernels/image_standardize.h"

namespace tandem::data {
namespace {

class PreprocessingTransform : public Transform {
 public:
  explicit PreprocessingTransform(Preprocessing preprocessing) : preprocessing_(std::move(preprocessing)) {}
  Batch apply(Batch batch, std::span<const RandomStream>) const override {
    return preprocessing_.apply(std::move(batch));
  }
  std::string class_name() const override { return "Preprocessing"; }

 private:
  Preprocessing preprocessing_;
};

// (height, width, channels): a missing channel axis counts as one channel.
Shape image_shape(const Shape& shape, const char* what) {
  if (shape.rank() == 3) return shape;
  if (shape.rank() == 2) return {shape[0], shape[1], 1};
  throw InvalidArgument(
      c10::str("preprocessing: ", what, " must be (height, width, channels) or (height, width), got ", shape));
}

int64_t wanted(int64_t size, int64_t own) { return size == Shape::kUnknown ? own : size; }

void check_channels(int64_t have, int64_t want) {
  if (have == want || have == 1) return;
  throw InvalidArgument(c10::str("preprocessing: images have ", have, " channels, the input has ", want,
                                 "; only one channel can be repeated to several"));
}

std::string by_x(const Shape& shape) { return c10::str(shape[0], "x", shape[1], "x", shape[2]); }

Tensor shape_tensor(const Shape& shape) { return at::tensor(shape.sizes(), at::kLong); }

Shape tensor_shape(const Tensor& tensor) {
  const Tensor sizes = tensor.to(at::kLong).contiguous();
  return Shape::of({sizes.const_data_ptr<int64_t>(), sizes.const_data_ptr<int64_t>() + sizes.numel()});
}

}  // namespace

Preprocessing Preprocessing::adapt(const Shape& image, const Shape& input) {
  Preprocessing made;
  if (input.matches(image)) return made;
  const Shape from = image_shape(image, "the images"), to = input;
  if (to.rank() != 3) {
    throw InvalidArgument(c10::str("preprocessing: rows of shape ", image, " do not fit an input of shape ", input,
                                   ", and only images (height, width, channels) can be resized"));
  }
  made.image_ = from;
  made.input_ = {wanted(to[0], from[0]), wanted(to[1], from[1]), wanted(to[2], from[2])};
  check_channels(from[2], made.input_[2]);
  return made;
}

// Resizing is linear: the mean image resized is the mean of the resized images.
Preprocessing Preprocessing::fit_mean(const Dataset& dataset, const Shape& input) {
  const Tensor mean = mean_image(dataset);
  const Shape image = image_shape(Shape::of(mean.sizes().vec()), "the images");
  Preprocessing made = adapt(image, input.empty() ? image : input);
  made.mean_ = made.resize(mean.reshape(image.with_batch(1).sizes()))[0];
  made.image_ = image;
  made.input_ = Shape::of(made.mean_.sizes().vec());
  return made;
}

Preprocessing Preprocessing::fit(const Dataset& dataset, const ImageNormalizationOptions& options, const Shape& input) {
  const Shape image = image_shape(Shape::of(dataset.get(0).x[0].sizes().vec()).without_batch(), "the images");
  Preprocessing made = adapt(image, input.empty() ? image : input);
  made.image_ = image;
  if (made.input_.empty()) made.input_ = image;
  made.normalization_ = ImageNormalization::fit(dataset.map(made.transform()), options);
  return made;
}

Preprocessing Preprocessing::rescale(double factor, double offset) const {
  Preprocessing made = *this;
  made.factor_ = factor_ * factor;
  made.offset_ = offset_ * factor + offset;
  return made;
}

// May return x itself.
Tensor Preprocessing::resize(const Tensor& x) const {
  if (input_.empty()) return x.contiguous();
  Tensor images = x.dim() == 3 ? x.unsqueeze(-1) : x;
  if (images.dim() != 4) {
    throw InvalidArgument(
        c10::str("preprocessing: images must be (rows, height, width, channels), got ", Shape::of(x.sizes().vec())));
  }
  if (images.scalar_type() != at::kByte) images = images.to(at::kFloat);
  images = images.contiguous();
  check_channels(images.size(3), input_[2]);
  if (images.size(1) != input_[0] || images.size(2) != input_[1])
    images = kernels::resize_images(images, input_[0], input_[1]);
  if (images.size(3) != input_[2]) images = kernels::repeat_channels(images, input_[2]);
  return images;
}

Tensor Preprocessing::run(const Tensor& x, bool owned) const {
  if (empty()) return x;
  Tensor images = resize(x);
  const bool changes = !normalization_.empty() || mean_.defined() || factor_ != 1 || offset_ != 0;
  // Bytes whose first change is the mean image become float32 with it, in one pass.
  const bool mean_is_first = images.scalar_type() == at::kByte && normalization_.empty() && mean_.defined();
  if (images.scalar_type() != at::kFloat) {
    if (!mean_is_first) images = images.to(at::kFloat);
  } else if (changes && !owned && images.is_alias_of(x)) {
    images = images.clone();
  }
  if (!normalization_.empty()) normalization_.apply(images);
  if (mean_.defined()) images = kernels::standardize_images(images, 1, mean_);
  if (factor_ != 1) images.mul_(factor_);
  if (offset_ != 0) images.add_(offset_);
  return images;
}

Tensor Preprocessing::apply(const Tensor& x) const { return run(x, false); }

Batch Preprocessing::apply(Batch batch) const {
  if (!batch.x.empty()) batch.x[0] = run(batch.x[0], true);
  return batch;
}

TransformHandle Preprocessing::transform() const {
  return TransformHandle(std::make_shared<PreprocessingTransform>(*this));
}

StateDict Preprocessing::state() const {
  StateDict state;
  if (empty()) return state;
  if (!input_.empty()) {
    state.set("image_shape", shape_tensor(image_));
    state.set("input_shape", shape_tensor(input_));
  }
  if (!normalization_.empty()) state.insert("normalization", normalization_.state());
  if (mean_.defined()) state.set("mean_image", mean_);
  state.set("factor", factor_);
  state.set("offset", offset_);
  return state;
}

Preprocessing Preprocessing::from_state(const StateDict& state) {
  Preprocessing made;
  if (state.size() == 0) return made;
  if (state.contains("input_shape")) {
    made.image_ = image_shape(tensor_shape(state.tensor("image_shape")), "the stored image_shape");
    made.input_ = image_shape(tensor_shape(state.tensor("input_shape")), "the stored input_shape");
  }
  made.normalization_ = ImageNormalization::from_state(state.section("normalization"));
  if (state.contains("mean_image")) {
    made.mean_ = state.tensor("mean_image").to(at::kCPU, at::kFloat).contiguous();
    const Shape shape = Shape::of(made.mean_.sizes().vec());
    if (shape != made.input_) {
      throw DataError(c10::str("preprocessing: the stored mean image must be ", made.input_, ", got ", shape));
    }
  }
  made.factor_ = state.number("factor");
  made.offset_ = state.number("offset");
  return made;
}

std::vector<std::string> Preprocessing::describe() const {
  std::vector<std::string> lines;
  if (!input_.empty() && image_ != input_) {
    const bool repeated = image_[2] != input_[2];
    const bool resized = image_[0] != input_[0] || image_[1] != input_[1];
    const char* how = resized && repeated ? "bilinear, channels repeated" : resized ? "bilinear" : "channels repeated";
    lines.push_back(
        c10::str("images ", by_x(image_), resized ? " resized to " : " brought to ", by_x(input_), " (", how, ")"));
  }
  for (const std::string& line : normalization_.describe()) lines.push_back(line);
  if (mean_.defined()) lines.push_back("mean image subtracted");
  if (factor_ != 1 || offset_ != 0) {
    lines.push_back(c10::str("values multiplied by ", factor_, offset_ == 0 ? "" : c10::str(", plus ", offset_)));
  }
  return lines;
}

}  // namespace tandem::data
