#include "tandem/data/npy_header.h"

#include <c10/util/StringUtil.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstring>
#include <limits>
#include <string_view>

#include "tandem/core/error.h"
#include "tandem/core/shape.h"

namespace tandem::data {
namespace {

using namespace std::string_view_literals;

constexpr auto kMagic = "\x93NUMPY"sv;
constexpr std::size_t kAlignment = 64;
constexpr std::size_t kLongestHeader = 10000;  // NumPy's own limit for files that are not trusted

struct NpyType {
  std::string_view code;  // as in descr, behind the byte order
  at::ScalarType type;
};
constexpr std::array<NpyType, 9> kTypes{{{"b1", at::kBool},
                                         {"i1", at::kChar},
                                         {"i2", at::kShort},
                                         {"i4", at::kInt},
                                         {"i8", at::kLong},
                                         {"u1", at::kByte},
                                         {"f2", at::kHalf},
                                         {"f4", at::kFloat},
                                         {"f8", at::kDouble}}};

// Reads the header's Python dictionary: {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }
class HeaderText {
 public:
  HeaderText(std::string_view text, const std::string& where) : rest_(text), where_(where) {}

  NpyHeader parse() {
    NpyHeader header;
    expect('{');
    int seen = 0;
    while (!take('}')) {
      const auto key = quoted();
      expect(':');
      if (key == "descr") {
        read_type(header);
      } else if (key == "fortran_order") {
        header.fortran_order = read_bool();
      } else if (key == "shape") {
        header.shape = read_shape();
      } else {
        fail();
      }
      ++seen;
      if (!take(',')) {
        expect('}');
        break;
      }
    }
    if (seen != 3) fail();
    return header;
  }

 private:
  [[noreturn]] void fail() const { throw DataError(where_ + ": the header is not that of a .npy array"); }

  void skip_spaces() { rest_.remove_prefix(std::min(rest_.find_first_not_of(" \n\t"), rest_.size())); }
  bool take(char wanted) {
    skip_spaces();
    if (rest_.empty() || rest_.front() != wanted) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void expect(char wanted) {
    if (!take(wanted)) fail();
  }
  bool take_word(std::string_view word) {
    skip_spaces();
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }
  std::string_view quoted() {
    const char quote = take('\'') ? '\'' : '"';
    if (quote == '"') expect('"');
    const auto end = rest_.find(quote);
    if (end == rest_.npos) fail();
    const auto text = rest_.substr(0, end);
    rest_.remove_prefix(end + 1);
    return text;
  }
  bool read_bool() {
    if (take_word("True")) return true;
    if (!take_word("False")) fail();
    return false;
  }
  void read_type(NpyHeader& header) {
    skip_spaces();
    const auto descr = rest_.starts_with('[') ? "of several fields"sv : quoted();
    const char order = descr.empty() ? '\0' : descr.front();
    const auto type = std::find_if(kTypes.begin(), kTypes.end(), [&](const NpyType& known) {
      return descr.size() > 1 && descr.substr(1) == known.code;
    });
    if ("<>|="sv.find(order) == std::string_view::npos || type == kTypes.end()) {
      throw DataError(c10::str(where_, ": arrays of type ", descr,
                               " are not read; bool, int8 to int64, uint8 and float16 to float64 are"));
    }
    header.type = type->type;
    const bool little = std::endian::native == std::endian::little;
    header.swapped = order == (little ? '>' : '<') && c10::elementSize(type->type) > 1;
  }
  std::vector<int64_t> read_shape() {
    std::vector<int64_t> shape;
    expect('(');
    while (!take(')')) {
      skip_spaces();
      int64_t size = 0;
      const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), size);
      if (error != std::errc() || size < 0) fail();
      rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
      take('L');  // Python 2 wrote long numbers so
      shape.push_back(size);
      if (!take(',')) {
        expect(')');
        break;
      }
    }
    return shape;
  }

  std::string_view rest_;
  const std::string& where_;
};

int64_t bytes_of(const NpyHeader& header, const std::string& where) {
  int64_t bytes = static_cast<int64_t>(c10::elementSize(header.type));
  for (const int64_t size : header.shape) {
    if (size > 0 && bytes > std::numeric_limits<int64_t>::max() / size)
      throw DataError(c10::str(where, ": its shape ", Shape::of(header.shape), " is too large"));
    bytes *= size;
  }
  return bytes;
}

void read_all(const ReadBytes& read, void* to, std::size_t bytes, const std::string& where) {
  if (read(to, bytes) < bytes) throw DataError(where + ": ends within its header");
}

}  // namespace

NpyHeader read_npy_header(const ReadBytes& read, const std::string& where) {
  // Magic, version (two bytes), length of the header (two bytes in version 1, four later), header.
  std::array<unsigned char, 8> start{};
  if (read(start.data(), start.size()) < start.size() || std::memcmp(start.data(), kMagic.data(), kMagic.size()) != 0)
    throw DataError(where + ": is not a .npy array");
  const int version = start[6];
  if (version < 1 || version > 3)
    throw DataError(c10::str(where, ": is of version ", version, " of the .npy format; 1 to 3 are read"));
  const std::size_t length_bytes = version == 1 ? 2 : 4;
  std::array<unsigned char, 4> length{};
  read_all(read, length.data(), length_bytes, where);
  std::size_t header_bytes = 0;
  for (std::size_t i = 0; i < length_bytes; ++i) header_bytes |= std::size_t{length[i]} << (8 * i);
  if (header_bytes > kLongestHeader)
    throw DataError(c10::str(where, ": its header must have at most ", kLongestHeader, " bytes, has ", header_bytes));
  std::string text(header_bytes, '\0');
  read_all(read, text.data(), text.size(), where);

  NpyHeader header = HeaderText(text, where).parse();
  header.data_begin = static_cast<int64_t>(start.size() + length_bytes + header_bytes);
  header.data_bytes = bytes_of(header, where);
  return header;
}

std::string make_npy_header(at::ScalarType type, const std::vector<int64_t>& shape) {
  const auto row = std::find_if(kTypes.begin(), kTypes.end(), [&](const NpyType& known) { return known.type == type; });
  if (row == kTypes.end())
    throw InvalidArgument(c10::str("save_npy: NumPy has no arrays of type ", type, "; convert the tensor first"));
  const bool one_byte = c10::elementSize(type) == 1;
  const char order = one_byte ? '|' : std::endian::native == std::endian::little ? '<' : '>';
  std::string text = c10::str("{'descr': '", order, row->code, "', 'fortran_order': False, 'shape': (");
  for (std::size_t i = 0; i < shape.size(); ++i) text += (i > 0 ? ", " : "") + std::to_string(shape[i]);
  text += shape.size() == 1 ? ",), }" : "), }";
  // Spaces, so that the data begin at a multiple of 64 bytes.
  const std::size_t before = kMagic.size() + 4;
  text.append((kAlignment - (before + text.size() + 1) % kAlignment) % kAlignment, ' ');
  text += '\n';
  std::string out(kMagic);
  out += {'\1', '\0', static_cast<char>(text.size() & 0xFF), static_cast<char>(text.size() >> 8)};
  return out + text;
}

}  // namespace tandem::data
