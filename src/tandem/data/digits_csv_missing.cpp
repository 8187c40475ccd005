// In place of digits_csv.cpp where zlib is missing: the file was unpacked when Tandem was built.
#include <cstddef>

#include "tandem/data/digits_csv.h"

namespace tandem::embedded {
extern const unsigned char digits_csv[];
extern const std::size_t digits_csv_size;
}  // namespace tandem::embedded

namespace tandem::data {

std::string digits_csv() { return {reinterpret_cast<const char*>(embedded::digits_csv), embedded::digits_csv_size}; }

}  // namespace tandem::data
