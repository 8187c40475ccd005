#include "tandem/data/idx.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include <array>
#include <cstdint>
#include <vector>

#include "tandem/core/error.h"
#include "tandem/core/shape.h"
#include "tandem/data/gz_file.h"

namespace tandem {
namespace {

constexpr int kUnsignedBytes = 8, kMostAxes = 8;
constexpr int64_t kMostBytes = int64_t{1} << 40;  // a size beyond this is a damaged one

}  // namespace

// Two zero bytes, the type, the number of axes; each axis as four bytes, the highest first; the values.
Tensor load_idx(const std::string& path) {
  data::GzFile file(path);
  std::array<uint8_t, 4> word{};
  const auto next_word = [&] {
    if (file.read(word.data(), word.size()) < word.size()) throw DataError(path + ": ends within its header");
  };
  next_word();
  const int axes = word[3];
  if (word[0] != 0 || word[1] != 0 || word[2] != kUnsignedBytes || axes < 1 || axes > kMostAxes) {
    throw DataError(c10::str(path, ": must begin as an idx file of unsigned bytes, 0 0 8 and the number of axes, got ",
                             int{word[0]}, " ", int{word[1]}, " ", int{word[2]}, " ", axes));
  }
  std::vector<int64_t> shape;
  int64_t bytes = 1;
  for (int axis = 0; axis < axes; ++axis) {
    next_word();
    shape.push_back(int64_t{word[0]} << 24 | int64_t{word[1]} << 16 | int64_t{word[2]} << 8 | int64_t{word[3]});
    if (shape.back() > 0 && bytes > kMostBytes / shape.back())
      throw DataError(c10::str(path, ": its shape ", Shape::of(shape), " is too large"));
    bytes *= shape.back();
  }
  Tensor values = at::empty(shape, at::kByte);
  const std::size_t got = file.read(values.mutable_data_ptr(), values.nbytes());
  char beyond = 0;
  if (got < values.nbytes() || file.read(&beyond, 1) > 0) {
    throw DataError(c10::str(path, ": must hold ", bytes, " bytes for its shape ", Shape::of(shape), ", holds ",
                             got < values.nbytes() ? std::to_string(got) : "more"));
  }
  return values;
}

}  // namespace tandem
