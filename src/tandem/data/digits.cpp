#include "tandem/data/digits.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include <charconv>
#include <cstddef>
#include <string>

#include "tandem/core/error.h"
#include "tandem/data/digits_csv.h"

namespace tandem::datasets {
namespace {

constexpr int64_t kRows = 1797, kDigitSide = 8, kPixels = kDigitSide * kDigitSide;

// Reads one number and the comma or line end behind it.
int64_t read_number(const char*& at, const char* end) {
  int64_t value = 0;
  const auto [after, error] = std::from_chars(at, end, value);
  if (error != std::errc() || after == end) throw InternalError("digits: the built-in file is damaged (not a number)");
  at = after + 1;
  return value;
}

}  // namespace

Dataset digits() {
  const std::string text = data::digits_csv();
  Tensor x = at::empty({kRows, kDigitSide, kDigitSide, 1}, at::kFloat), y = at::empty({kRows}, at::kLong);
  auto* pixel = x.mutable_data_ptr<float>();
  auto* label = y.mutable_data_ptr<int64_t>();
  const char* at = text.data();
  const char* end = at + text.size();
  for (int64_t row = 0; row < kRows; ++row) {
    for (int64_t i = 0; i < kPixels; ++i) *pixel++ = static_cast<float>(read_number(at, end));
    *label++ = read_number(at, end);
  }
  if (at != end) throw InternalError(c10::str("digits: the built-in file must have ", kRows, " lines, it has more"));
  return data::TensorDataset(x, y);
}

}  // namespace tandem::datasets
