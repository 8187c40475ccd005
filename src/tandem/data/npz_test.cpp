#include "tandem/data/npz.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tandem/core/error.h"
#include "tandem/data/message_of_test.h"
#include "tandem/testing/npy.h"
#include "tandem/testing/temporary_folder.h"

namespace tandem {
namespace {

TEST(Npz, ReadsStoredAndDeflatedArrays) {
  const Tensor count = at::arange(24).view({2, 3, 4});
  for (const char* name : {"stored.npz", "deflated.npz"}) {
    const auto file = testing::fixture(std::string("keras/numpy/arrays/") + name);
    EXPECT_EQ(npz_names(file), (std::vector<std::string>{"big", "order", "x_train", "y_train"}));
    const auto arrays = load_npz(file);
    EXPECT_EQ(arrays.size(), 4U);
    EXPECT_TRUE(at::equal(arrays.at("x_train"), count.to(at::kFloat))) << name;
    EXPECT_TRUE(at::equal(arrays.at("big"), count.to(at::kInt))) << name;
    EXPECT_TRUE(at::equal(arrays.at("order"), count)) << name;
    EXPECT_TRUE(at::equal(arrays.at("y_train"), at::tensor({1, 0}, at::kLong))) << name;
    EXPECT_EQ(load_npz(file, {"y_train"}).size(), 1U);
  }
}

TEST(Npz, AMissingArrayIsNamedWithThoseThatAreThere) {
  const auto file = testing::fixture("keras/numpy/arrays/stored.npz");
  EXPECT_EQ(data::message_of<DataError>([&] { load_npz(file, {"x_test"}); }),
            file + ": has no array x_test; it has big, order, x_train, y_train");
}

TEST(Npz, DamageIsNamed) {
  const testing::TemporaryFolder folder;
  const auto error = [&](const std::string& bytes) {
    return data::message_of<DataError>([&] { load_npz(folder.write("x.npz", bytes)); });
  };
  const auto whole = testing::file_bytes(testing::fixture("keras/numpy/arrays/stored.npz"));
  EXPECT_EQ(error("nothing"), folder.file("x.npz") + ": cannot be opened as a zip file: Not a zip archive");
  EXPECT_EQ(error(whole.substr(0, whole.size() / 2)),
            folder.file("x.npz") + ": cannot be opened as a zip file: Not a zip archive");
  std::string changed = whole;
  changed[whole.find("NUMPY") + 120] ^= 1;  // a bit of the first array's header's spaces or data: the checksum tells
  EXPECT_NE(error(changed).find("x_train.npy: is damaged: "), std::string::npos) << error(changed);
}

}  // namespace
}  // namespace tandem
