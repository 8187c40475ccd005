// A build without the HDF5 library.
#include <gtest/gtest.h>

#include "tandem/core/error.h"
#include "tandem/saving/keras_networks_test.h"
#include "tandem/saving/weights_file.h"
#include "tandem/testing/message_of.h"

namespace tandem::saving {
namespace {

TEST(WithoutH5, WritingAndReadingSaySo) {
  const ScratchFolder folder;
  const auto network = dense_network();
  const std::string text = "HDF5 files (.h5, .keras) cannot be read or written: Tandem was built without HDF5";
  EXPECT_EQ(testing::message_of([&] { save_weights(*network, folder.file("a.weights.h5")); }), text);
  EXPECT_EQ(folder.content(), "");
  write_bytes(folder.file("a.h5"), "\x89HDF\r\n\x1a\n");
  EXPECT_EQ(testing::message_of([&] { load_weights(*network, folder.file("a.h5")); }), text);
}

}  // namespace
}  // namespace tandem::saving
