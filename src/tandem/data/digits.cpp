#include "tandem/data/digits.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>
#include <zlib.h>

#include <charconv>
#include <cstddef>
#include <span>
#include <string>

#include "tandem/core/error.h"

namespace tandem::embedded {
extern const unsigned char digits_csv_gz[];
extern const std::size_t digits_csv_gz_size;
}  // namespace tandem::embedded

namespace tandem::datasets {
namespace {

constexpr int64_t kRows = 1797, kDigitSide = 8, kPixels = kDigitSide * kDigitSide;

std::string inflate_gzip(std::span<const unsigned char> packed) {
  z_stream stream{};
  stream.next_in = const_cast<unsigned char*>(packed.data());
  stream.avail_in = static_cast<uInt>(packed.size());
  constexpr int kGzip = 16;
  if (inflateInit2(&stream, kGzip + MAX_WBITS) != Z_OK) throw InternalError("digits: zlib could not be started");
  std::string text;
  int status = Z_OK;
  while (status == Z_OK) {
    char block[1 << 16];
    stream.next_out = reinterpret_cast<Bytef*>(block);
    stream.avail_out = sizeof block;
    status = inflate(&stream, Z_NO_FLUSH);
    text.append(block, sizeof block - stream.avail_out);
  }
  inflateEnd(&stream);
  if (status != Z_STREAM_END)
    throw InternalError(c10::str("digits: the built-in file is damaged (zlib status ", status, ")"));
  return text;
}

// Reads one number and the comma or line end behind it.
int64_t read_number(const char*& at, const char* end) {
  int64_t value = 0;
  const auto [after, error] = std::from_chars(at, end, value);
  if (error != std::errc() || after == end) throw InternalError("digits: the built-in file is damaged (not a number)");
  at = after + 1;
  return value;
}

}  // namespace

// Each line: 64 pixels, row by row, then the label.
Dataset digits() {
  const std::string text = inflate_gzip({embedded::digits_csv_gz, embedded::digits_csv_gz_size});
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
