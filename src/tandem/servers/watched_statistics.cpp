#include "tandem/servers/watched_statistics.h"

#include <ATen/ATen.h>

#include "tandem/comm/byte_stream.h"
#include "tandem/core/error.h"

namespace tandem::servers {

std::string encode_statistics(const std::vector<Tensor>& values) {
  comm::ByteWriter to;
  to.number(static_cast<uint64_t>(values.size()));
  for (const auto& value : values) {
    const Tensor doubles = value.to(at::kCPU, at::kDouble).contiguous();
    to.numbers(
        std::vector<double>(doubles.const_data_ptr<double>(), doubles.const_data_ptr<double>() + doubles.numel()));
  }
  return to.take();
}

std::vector<Tensor> decode_statistics(std::string_view bytes) {
  comm::ByteReader from(bytes);
  std::vector<Tensor> values;
  const auto count = from.number<uint64_t>();
  for (uint64_t i = 0; from.good() && i < count; ++i) values.push_back(at::tensor(from.numbers<double>(), at::kDouble));
  if (!from.at_end()) throw DataError("statistics of another process: the bytes are none");
  return values;
}

}  // namespace tandem::servers
