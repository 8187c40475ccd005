#include "tandem/data/to_categorical.h"

#include <gtest/gtest.h>

#include <string>

#include "tandem/core/error.h"
#include "tandem/data/dataset.h"
#include "tandem/data/message_of_test.h"
#include "tandem/data/one_hot.h"

namespace tandem {
namespace {

TEST(ToCategorical, PutsAOneAtTheLabel) {
  const Tensor rows = to_categorical(at::tensor({2, 0, 1}, at::kLong), 4);
  const Tensor expected = at::tensor({0, 0, 1, 0, 1, 0, 0, 0, 0, 1, 0, 0}, at::kFloat).reshape({3, 4});
  EXPECT_EQ(rows.scalar_type(), at::kFloat);
  EXPECT_TRUE(at::equal(rows, expected));
  EXPECT_TRUE(at::equal(to_categorical(at::tensor({2, 0, 1}, at::kByte).reshape({3, 1}), 4), expected));
  EXPECT_TRUE(at::equal(to_categorical(at::tensor({2, 0, 1}, at::kInt)), expected.slice(1, 0, 3)));
}

TEST(ToCategorical, NamesLabelAndRow) {
  EXPECT_EQ(data::message_of<InvalidArgument>([] {
              to_categorical(at::tensor({1, 5}, at::kLong), 5);
            }),
            "to_categorical: labels must be 0 to 4, got 5 in row 1");
  EXPECT_EQ(data::message_of<InvalidArgument>([] {
              to_categorical(at::tensor({-1, 0}, at::kLong));
            }),
            "to_categorical: labels must be 0 to 0, got -1 in row 0");
  EXPECT_EQ(data::message_of<InvalidArgument>([] { to_categorical(at::empty({0}, at::kLong), 3); }),
            "to_categorical: there must be at least one label, got none");
}

TEST(OneHot, ChangesTheTargets) {
  const Dataset data = data::TensorDataset(at::ones({3, 2}), at::tensor({2, 0, 1}, at::kLong)).map(data::OneHot(3));
  EXPECT_TRUE(at::equal(data.get(0).y[0], at::tensor({0, 0, 1}, at::kFloat).reshape({1, 3})));
  EXPECT_EQ(data::message_of<InvalidArgument>([] { data::OneHot(0); }),
            "OneHot: the number of classes must be positive, got 0");
}

}  // namespace
}  // namespace tandem
