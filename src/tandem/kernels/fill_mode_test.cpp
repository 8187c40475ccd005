#include "tandem/kernels/fill_mode.h"

#include <gtest/gtest.h>

#include "tandem/core/error.h"

namespace tandem::kernels {
namespace {

TEST(FillMode, Names) {
  EXPECT_EQ(fill_mode("nearest"), FillMode::nearest);
  EXPECT_EQ(fill_mode("constant"), FillMode::constant);
  EXPECT_EQ(fill_mode("reflect"), FillMode::reflect);
  EXPECT_EQ(fill_mode("wrap"), FillMode::wrap);
  try {
    fill_mode("neerest");
    ADD_FAILURE() << "no error";
  } catch (const InvalidArgument& e) {
    EXPECT_NE(std::string(e.what()).find("'nearest'"), std::string::npos) << e.what();
  }
}

// The line 10 20 30 40 read at whole and fractional positions.
double read(double position, FillMode mode) {
  const std::array<double, 4> line = {10, 20, 30, 40};
  const AxisTap tap = axis_tap(position, 4, mode);
  if (!tap.inside) return -1;
  return (1 - double{tap.weight}) * line.at(static_cast<std::size_t>(tap.low)) +
         double{tap.weight} * line.at(static_cast<std::size_t>(tap.high));
}

TEST(FillMode, InsideAllModesInterpolate) {
  for (const FillMode mode : {FillMode::nearest, FillMode::constant, FillMode::reflect, FillMode::wrap}) {
    EXPECT_EQ(read(0, mode), 10);
    EXPECT_EQ(read(1.25, mode), 22.5);
    EXPECT_EQ(read(3, mode), 40);
  }
}

TEST(FillMode, BeyondTheEdges) {
  EXPECT_EQ(read(-0.5, FillMode::nearest), 10);
  EXPECT_EQ(read(-7, FillMode::nearest), 10);
  EXPECT_EQ(read(3.5, FillMode::nearest), 40);

  EXPECT_EQ(read(-0.001, FillMode::constant), -1);
  EXPECT_EQ(read(3.001, FillMode::constant), -1);

  const std::array<double, 12> mirrored = {40, 30, 20, 10, 10, 20, 30, 40, 40, 30, 20, 10};  // from -4 on
  for (int i = 0; i < 12; ++i) EXPECT_EQ(read(i - 4, FillMode::reflect), mirrored.at(static_cast<std::size_t>(i)));
  EXPECT_EQ(read(-0.5, FillMode::reflect), 10);
  EXPECT_EQ(read(-1.25, FillMode::reflect), 12.5);
  EXPECT_EQ(read(3.75, FillMode::reflect), 40);
  EXPECT_EQ(read(803.5, FillMode::reflect), 40);

  EXPECT_EQ(read(-1, FillMode::wrap), 30);  // -1 is 2: the first pixel counts as the last
  EXPECT_EQ(read(-0.5, FillMode::wrap), 35);
  EXPECT_EQ(read(3.5, FillMode::wrap), 15);
  EXPECT_EQ(read(4, FillMode::wrap), 20);
}

TEST(FillMode, OnePixel) {
  for (const FillMode mode : {FillMode::nearest, FillMode::reflect, FillMode::wrap}) {
    for (const double position : {-2.5, -1.0, 0.0, 0.5, 3.0}) {
      const AxisTap tap = axis_tap(position, 1, mode);
      EXPECT_TRUE(tap.inside);
      EXPECT_EQ(tap.low, 0);
      EXPECT_EQ(tap.high, 0);
    }
  }
}

}  // namespace
}  // namespace tandem::kernels
