#include "made_up_images.h"

#include <fstream>
#include <random>

namespace tandem::testing {
namespace {

void write_records(const std::string& path, int64_t records, int64_t bad_label_at, unsigned seed) {
  std::mt19937 random(seed);
  std::ofstream out(path, std::ios::binary);
  for (int64_t i = 0; i < records; ++i) {
    out.put(static_cast<char>(i == bad_label_at ? 10 : i % 10));
    for (int64_t byte = 1; byte < kRecordBytes; ++byte) out.put(static_cast<char>(random() & 0xFF));
  }
}

}  // namespace

void MadeUpImages::write(const std::string& folder) const {
  write_records(folder + "/data_batch_1.bin", train, bad_label_at, 1);
  write_records(folder + "/test_batch.bin", test, -1, 2);
}

}  // namespace tandem::testing
