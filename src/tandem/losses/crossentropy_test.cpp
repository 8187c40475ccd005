#include "tandem/losses/crossentropy.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

namespace tandem {
namespace {

TEST(Crossentropy, IsTheOneThatFitsTheShapes) {
  const auto any = losses::Crossentropy().get();
  const Tensor one = at::rand({6, 1}), three = at::rand({6, 3}), steps = at::rand({6, 4, 3});
  const struct {
    const char* name;
    Tensor y_true, y_pred;
  } cases[] = {
      {"binary_crossentropy", at::randint(2, {6, 1}, at::kLong), one},
      {"binary_crossentropy", at::randint(2, {6}, at::kLong), one},
      {"sparse_categorical_crossentropy", at::randint(3, {6}, at::kLong), three},
      {"sparse_categorical_crossentropy", at::randint(3, {6, 1}, at::kLong), three},
      {"sparse_categorical_crossentropy", at::randint(3, {6, 4}, at::kLong), steps},
      {"categorical_crossentropy", at::rand({6, 3}), three},
      {"categorical_crossentropy", at::rand({6, 4, 3}), steps},
  };
  for (const auto& [name, y_true, y_pred] : cases) {
    const auto loss = Loss::make(name);
    EXPECT_TRUE(at::equal(any->call(y_true, y_pred), loss->call(y_true, y_pred))) << name << y_true.sizes();
    EXPECT_TRUE(at::equal(any->call_with_logits(y_true, y_pred), loss->call_with_logits(y_true, y_pred))) << name;
  }
  EXPECT_TRUE(any->prefers_logits());
}

}  // namespace
}  // namespace tandem
