#include "tandem/testing/npy.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tandem/core/error.h"

namespace tandem::testing {
namespace {

/// A .npy file of format 1 with this header text and data, in the tests' temporary folder.
std::string write_npy(const std::string& name, const std::string& header, const std::string& data) {
  const std::string path = ::testing::TempDir() + name;
  std::ofstream file(path, std::ios::binary);
  file << std::string("\x93NUMPY\x01\x00", 8) << static_cast<char>(header.size()) << '\0' << header << data;
  return path;
}

TEST(LoadNpy, ReadsShapesTypesAndValues) {
  const auto matrix =
      load_npy(write_npy("m.npy", "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 3), }\n", "abcdef"));
  EXPECT_EQ(matrix.scalar_type(), at::kByte);
  EXPECT_TRUE(at::equal(matrix, at::tensor({97, 98, 99, 100, 101, 102}, at::kByte).view({2, 3})));

  const double value = -2.5;
  const auto scalar = load_npy(write_npy("s.npy", "{'descr': '<f8', 'fortran_order': False, 'shape': (), }\n",
                                         std::string(reinterpret_cast<const char*>(&value), sizeof value)));
  EXPECT_EQ(scalar.dim(), 0);
  EXPECT_EQ(scalar.item<double>(), -2.5);

  const auto empty = load_npy(write_npy("e.npy", "{'descr': '<i8', 'fortran_order': False, 'shape': (0, 4), }\n", ""));
  EXPECT_EQ(empty.sizes(), (std::vector<int64_t>{0, 4}));
}

TEST(LoadNpy, ReadsWhatNumPyWrote) {
  const auto x = load_npy(fixture("keras/layers/dense_relu/x.npy"));
  EXPECT_EQ(x.scalar_type(), at::kFloat);
  EXPECT_EQ(x.sizes(), (std::vector<int64_t>{4, 3}));
  const auto ids = load_npy(fixture("keras/losses/sparse_categorical_crossentropy_logits_rank2/y_true.npy"));
  EXPECT_EQ(ids.scalar_type(), at::kInt);
  EXPECT_EQ(ids.sizes(), (std::vector<int64_t>{6}));
}

TEST(LoadNpy, RefusesWhatItCannotRead) {
  EXPECT_THROW(load_npy("/nowhere/x.npy"), DataError);
  EXPECT_THROW(load_npy(fixture("README.md")), DataError);
  EXPECT_THROW(load_npy(write_npy("c.npy", "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }\n", "1234")),
               DataError);
  EXPECT_THROW(load_npy(write_npy("t.npy", "{'descr': '<c8', 'fortran_order': False, 'shape': (1,), }\n", "12345678")),
               DataError);
  EXPECT_THROW(load_npy(write_npy("f.npy", "{'descr': '|u1', 'fortran_order': True, 'shape': (2, 2), }\n", "1234")),
               DataError);
}

}  // namespace
}  // namespace tandem::testing
