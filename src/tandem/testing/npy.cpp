#include "tandem/testing/npy.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <vector>

#include "tandem/core/error.h"

namespace tandem::testing {
namespace {

/// What the text header of a .npy file says, for example
/// {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }
struct Header {
  at::ScalarType type;
  std::vector<int64_t> shape;
};

Header parse_header(const std::string& text, const std::string& path) {
  static const std::map<std::string, at::ScalarType> kTypes = {{"<f4", at::kFloat}, {"<f8", at::kDouble},
                                                               {"<i4", at::kInt},   {"<i8", at::kLong},
                                                               {"|b1", at::kBool},  {"|u1", at::kByte}};
  static const std::regex kFields(R"('descr': '([^']*)', 'fortran_order': (True|False), 'shape': \(([0-9, ]*)\))");
  std::smatch fields;
  if (!std::regex_search(text, fields, kFields)) throw DataError(c10::str(path, ": not a plain .npy array: ", text));
  const auto type = kTypes.find(fields[1]);
  if (type == kTypes.end()) throw DataError(c10::str(path, ": arrays of type ", fields[1].str(), " are not read"));

  Header header{type->second, {}};
  const std::string shape = fields[3];
  static const std::regex kNumber("[0-9]+");
  for (std::sregex_iterator number(shape.begin(), shape.end(), kNumber), end; number != end; ++number) {
    header.shape.push_back(std::stoll(number->str()));
  }
  if (fields[2] == "True" && header.shape.size() > 1)
    throw DataError(path + ": must be in C order, is in Fortran order");
  return header;
}

}  // namespace

at::Tensor load_npy(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw DataError(path + ": cannot be opened");
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};

  // Magic, version (two bytes), length of the header (two bytes in version 1, four later), header, data.
  if (bytes.size() < 12 || bytes.compare(0, 6, "\x93NUMPY") != 0) throw DataError(path + ": not a .npy file");
  const size_t length_bytes = bytes[6] == 1 ? 2 : 4;
  size_t header_length = 0;
  for (size_t i = 0; i < length_bytes; ++i)
    header_length |= size_t{static_cast<unsigned char>(bytes[8 + i])} << (8 * i);
  const size_t data_start = 8 + length_bytes + header_length;
  if (data_start > bytes.size()) throw DataError(path + ": ends within its header");

  const Header header = parse_header(bytes.substr(8 + length_bytes, header_length), path);
  const at::Tensor tensor = at::empty(header.shape, header.type);
  if (bytes.size() - data_start != tensor.nbytes()) {
    throw DataError(
        c10::str(path, ": must hold ", tensor.nbytes(), " bytes of data, holds ", bytes.size() - data_start));
  }
  if (tensor.nbytes() > 0) std::memcpy(tensor.data_ptr(), bytes.data() + data_start, tensor.nbytes());
  return tensor;
}

std::string fixture(const std::string& relative) {
  std::string path = TANDEM_FIXTURES;
  path += "/";
  return path += relative;
}

}  // namespace tandem::testing
