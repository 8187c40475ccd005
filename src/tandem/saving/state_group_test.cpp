#include "tandem/saving/state_group.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "tandem/core/error.h"
#include "tandem/testing/message_of.h"
#include "tandem/testing/npy.h"

namespace tandem::saving {
namespace {

std::string image_of(const StateDict& state) {
  H5File file = H5File::create_image("state");
  write_state(state, file.root());
  return file.take_image();
}

TEST(StateGroup, EveryKindComesBack) {
  StateDict state;
  state.set("mean", at::arange(6, at::kFloat).reshape({2, 3}));
  state.set("sizes", at::tensor({3, 4, 5}, at::kLong));
  state.set("inner/count", int64_t{-7});
  state.set("inner/deep/factor", 0.1);
  state.set("name", std::string("größe"));
  const std::string bytes = image_of(state);
  EXPECT_EQ(bytes, image_of(state));
  const StateDict read = read_state(H5File::open_image(bytes, "state").root());
  EXPECT_EQ(read.size(), state.size());
  EXPECT_TRUE(at::equal(read.tensor("mean"), state.tensor("mean")));
  EXPECT_TRUE(at::equal(read.tensor("sizes"), state.tensor("sizes")));
  EXPECT_EQ(read.integer("inner/count"), -7);
  EXPECT_EQ(read.number("inner/deep/factor"), 0.1);
  EXPECT_EQ(read.text("name"), "größe");
  EXPECT_EQ(read_state(H5File::open_image(image_of({}), "state").root()).size(), 0U);
}

TEST(StateGroup, DamagedBytesAreNamed) {
  StateDict state;
  state.set("mean", at::arange(600, at::kFloat));
  const std::string bytes = image_of(state);
  EXPECT_NE(testing::message_of<DataError>([&] {
              read_state(H5File::open_image(bytes.substr(0, bytes.size() / 2), "half.h5").root());
            }).find("half.h5"),
            std::string::npos);
}

// Here the file says how large the values are. In chunks that were never written they would be zeros without end.
TEST(StateGroup, HugeShapesTakeNoMemory) {
  const std::string path = testing::fixture("keras/saving/refused/huge_shape.weights.h5");
  EXPECT_EQ(testing::message_of<DataError>([&] { read_state(H5File::open(path).root()); }),
            path + ": layers/dense/vars/0: declares 4611686018427387904 bytes of values, which its 0 cannot hold");
}

}  // namespace
}  // namespace tandem::saving
