#include "tandem/data/digits_csv.h"

#include <c10/util/StringUtil.h>
#include <zlib.h>

#include <cstddef>
#include <span>

#include "tandem/core/error.h"

namespace tandem::embedded {
extern const unsigned char digits_csv_gz[];
extern const std::size_t digits_csv_gz_size;
}  // namespace tandem::embedded

namespace tandem::data {
namespace {

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

}  // namespace

std::string digits_csv() { return inflate_gzip({embedded::digits_csv_gz, embedded::digits_csv_gz_size}); }

}  // namespace tandem::data
