#include "tandem/kernels/image_values.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <string>

#include "tandem/testing/closeness.h"
#include "tandem/testing/npy.h"

namespace tandem::kernels {
namespace {

at::Tensor keras_file(const std::string& name) {
  return testing::load_npy(testing::fixture("keras/augmentation/" + name + ".npy"));
}

template <class Change>
at::Tensor changed(const at::Tensor& image, const at::Tensor& amounts, int64_t i, const Change& change) {
  at::Tensor out = image.clone();
  change(out.mutable_data_ptr<float>(), out.numel(), amounts[i].item<float>());
  return out;
}

TEST(ImageValues, ShiftedAsByKeras) {
  const at::Tensor x = keras_file("channel_shift/x"), amounts = keras_file("channel_shift/intensities"),
                   wanted = keras_file("channel_shift/output");
  for (int64_t i = 0; i < amounts.numel(); ++i)
    EXPECT_EQ(testing::difference(changed(x, amounts, i, shift_values), wanted[i], 1e-6), "") << i;
}

// Of whole numbers Keras's picture keeps all but the fraction of the brightened value.
TEST(ImageValues, BrightenedAsByKeras) {
  const at::Tensor x = keras_file("brightness/x"), factors = keras_file("brightness/factors"),
                   wanted = keras_file("brightness/output");
  for (int64_t i = 0; i < factors.numel(); ++i) {
    EXPECT_TRUE(at::equal(changed(x, factors, i, brighten).floor(), wanted[i])) << factors[i].item<float>();
  }
}

// Keras rounds down to 256 levels before and after.
TEST(ImageValues, BrightenedOutsideOfBytesAsByKeras) {
  const at::Tensor x = keras_file("brightness_far/x"), factors = keras_file("brightness_far/factors"),
                   wanted = keras_file("brightness_far/output");
  const double level = (x.max() - x.min()).item<double>() / 255;
  for (int64_t i = 0; i < factors.numel(); ++i) {
    const at::Tensor above = changed(x, factors, i, brighten) - wanted[i];
    EXPECT_GE(above.min().item<double>(), -1e-3) << i;
    EXPECT_LE(above.max().item<double>(), level * (1 + factors[i].item<double>()) + 1e-3) << i;
  }
}

TEST(ImageValues, SmallValuesAreNotLostInLevels) {
  const at::Tensor x = at::rand({4, 4, 3});
  EXPECT_TRUE(at::allclose(changed(x, at::full({1}, 0.5), 0, brighten), x * 0.5));
}

}  // namespace
}  // namespace tandem::kernels
