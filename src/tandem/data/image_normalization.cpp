#include "tandem/data/image_normalization.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include <cmath>

#include "tandem/core/error.h"
#include "tandem/core/random.h"
#include "tandem/core/shape.h"
#include "tandem/data/loader.h"

namespace tandem::data {
namespace {

constexpr double kEpsilon = 1e-6;  // Keras's
constexpr int64_t kRowsAtATime = 256;

// Mean and sum of squared distances from it of each channel, put together batch by batch (Chan, Golub, LeVeque 1983).
class ChannelMoments {
 public:
  void add(const Tensor& images) {
    const Tensor values = images.to(at::kDouble).reshape({-1, images.size(-1)});
    const Tensor mean = values.mean(0), squares = (values - mean).square_().sum(0);
    if (!mean_.defined()) {
      mean_ = at::zeros_like(mean);
      squares_ = at::zeros_like(mean);
    }
    const auto before = static_cast<double>(count_), more = static_cast<double>(values.size(0));
    const Tensor distance = mean - mean_;
    mean_ += distance * (more / (before + more));
    squares_ += squares + distance.square() * (before * more / (before + more));
    count_ += values.size(0);
  }
  Tensor mean() const { return mean_; }
  Tensor standard_deviation() const { return (squares_ / count_).sqrt(); }

 private:
  Tensor mean_, squares_;
  int64_t count_ = 0;
};

ChannelMoments channel_moments(const Dataset& dataset) {
  dataset.require_rows("ImageNormalization");
  Loader loader(dataset, {.batch_size = kRowsAtATime, .random = random_root()});
  loader.start_epoch(0);
  ChannelMoments moments;
  while (const auto batch = loader.next()) {
    const Tensor& x = batch->x[0];
    if (x.dim() != 4) {
      throw InvalidArgument(c10::str("ImageNormalization: images must be (rows, height, width, channels), got ",
                                     Shape::of(x.sizes().vec())));
    }
    moments.add(x);
  }
  return moments;
}

}  // namespace

ImageNormalization ImageNormalization::fit(const Dataset& dataset, const ImageNormalizationOptions& options) {
  if (!std::isfinite(options.rescale) || options.rescale == 0) {
    throw InvalidArgument(c10::str("ImageNormalization: rescale must be a number other than 0, got ", options.rescale));
  }
  ImageNormalization made;
  made.rescale_ = options.rescale;
  made.samplewise_std_ = options.samplewise_std_normalization;
  made.samplewise_center_ = options.samplewise_center || made.samplewise_std_;
  if (options.featurewise_center || options.featurewise_std_normalization) {
    const ChannelMoments moments = channel_moments(dataset);
    made.mean_ = (moments.mean() * options.rescale).to(at::kFloat);
    if (options.featurewise_std_normalization)
      made.std_ = (moments.standard_deviation() * std::abs(options.rescale)).to(at::kFloat);
  }
  return made;
}

bool ImageNormalization::empty() const { return rescale_ == 1 && !samplewise_center_ && !mean_.defined(); }

void ImageNormalization::apply(const Tensor& images) const {
  Tensor rows = images.view({images.size(0), -1});
  if (rescale_ != 1) rows.mul_(rescale_);
  if (samplewise_center_) rows.sub_(rows.mean(1, true));
  if (samplewise_std_) rows.div_(rows.std(at::IntArrayRef{1}, 0, true).add_(kEpsilon));
  if (mean_.defined()) apply_channels(images);
}

// Mean and deviation are repeated over one line first: long loops instead of one for each pixel.
void ImageNormalization::apply_channels(const Tensor& images) const {
  const int64_t width = images.size(2), channels = images.size(3);
  if (mean_.numel() != channels) {
    throw InvalidArgument(c10::str("preprocessing: images must have the ", mean_.numel(),
                                   " channels that the means are of, got ", Shape::of(images.sizes().vec())));
  }
  Tensor lines = images.view({-1, width * channels});
  lines.sub_(mean_.repeat({width}));
  if (std_.defined()) lines.div_((std_ + kEpsilon).repeat({width}));
}

StateDict ImageNormalization::state() const {
  StateDict state;
  if (empty()) return state;
  state.set("rescale", rescale_);
  state.set("samplewise_center", int64_t{samplewise_center_});
  state.set("samplewise_std_normalization", int64_t{samplewise_std_});
  if (mean_.defined()) state.set("channel_mean", mean_);
  if (std_.defined()) state.set("channel_std", std_);
  return state;
}

ImageNormalization ImageNormalization::from_state(const StateDict& state) {
  ImageNormalization made;
  if (state.size() == 0) return made;
  made.rescale_ = state.number("rescale");
  made.samplewise_center_ = state.integer("samplewise_center") != 0;
  made.samplewise_std_ = state.integer("samplewise_std_normalization") != 0;
  const auto channels = [&](const char* name) {
    return state.contains(name) ? state.tensor(name).to(at::kCPU, at::kFloat).contiguous() : Tensor();
  };
  made.mean_ = channels("channel_mean");
  made.std_ = channels("channel_std");
  if (made.std_.defined() && (!made.mean_.defined() || made.std_.sizes() != made.mean_.sizes()))
    throw DataError("preprocessing: the stored channel_std must be as long as channel_mean");
  return made;
}

std::vector<std::string> ImageNormalization::describe() const {
  std::vector<std::string> lines;
  if (rescale_ != 1) lines.push_back(c10::str("values multiplied by ", rescale_));
  if (samplewise_center_)
    lines.push_back(samplewise_std_ ? "each image normalised by its mean and standard deviation"
                                    : "each image's mean subtracted");
  if (mean_.defined()) {
    lines.push_back(std_.defined() ? "channels normalised by their means and standard deviations"
                                   : "channels' means subtracted");
  }
  return lines;
}

}  // namespace tandem::data
