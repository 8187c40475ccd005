#include "tandem/data/cifar10.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <c10/util/StringUtil.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tandem/core/error.h"

namespace tandem::datasets {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kSide = 32, kChannels = 3, kPlane = kSide * kSide, kClasses = 10;
constexpr int64_t kRecord = 1 + kPlane * kChannels;  // bytes: a label, then the red, green and blue planes, row by row

struct Images {
  Tensor x, y;
};

int64_t records_in(const fs::path& file) {
  std::error_code error;
  const auto bytes = fs::file_size(file, error);
  if (error) throw DataError(c10::str("cifar10: cannot read ", file.string(), ": ", error.message()));
  if (bytes == 0 || bytes % kRecord != 0) {
    throw DataError(c10::str("cifar10: ", file.string(), " must hold records of ", kRecord, " bytes, its size is ",
                             bytes, " bytes"));
  }
  return static_cast<int64_t>(bytes) / kRecord;
}

// Planes to pixels.
void interleave(const uint8_t* planes, uint8_t* pixels) {
  for (int64_t i = 0; i < kPlane; ++i) {
    for (int64_t c = 0; c < kChannels; ++c) pixels[i * kChannels + c] = planes[c * kPlane + i];
  }
}

void read_file(const fs::path& file, int64_t records, uint8_t* x, int64_t* y) {
  std::vector<char> bytes(static_cast<std::size_t>(records * kRecord));
  std::ifstream in(file, std::ios::binary);
  if (!in.read(bytes.data(), static_cast<std::streamsize>(bytes.size()))) {
    throw DataError(c10::str("cifar10: cannot read ", file.string(), ": ", std::strerror(errno)));
  }
  const auto* data = reinterpret_cast<const uint8_t*>(bytes.data());
  for (int64_t i = 0; i < records; ++i) {
    y[i] = data[i * kRecord];
    if (y[i] >= kClasses) {
      throw DataError(c10::str("cifar10: ", file.string(), ", record ", i, ": the label must be 0 to ", kClasses - 1,
                               ", got ", y[i]));
    }
  }
  at::parallel_for(0, records, 256, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) interleave(data + i * kRecord + 1, x + i * kPlane * kChannels);
  });
}

Images read_files(const std::vector<fs::path>& files) {
  std::vector<int64_t> records;
  int64_t rows = 0;
  for (const auto& file : files) rows += records.emplace_back(records_in(file));
  Images images{at::empty({rows, kSide, kSide, kChannels}, at::kByte), at::empty({rows}, at::kLong)};
  auto* x = images.x.mutable_data_ptr<uint8_t>();
  auto* y = images.y.mutable_data_ptr<int64_t>();
  for (std::size_t i = 0; i < files.size(); ++i) {
    read_file(files[i], records[i], x, y);
    x += records[i] * kPlane * kChannels;
    y += records[i];
  }
  return images;
}

// data_batch_*.bin by number: shorter names first, so that 10 follows 9.
std::vector<fs::path> training_files(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("data_batch_") && name.ends_with(".bin")) files.push_back(entry.path());
  }
  if (error) throw DataError(c10::str("cifar10: cannot read the folder ", folder.string(), ": ", error.message()));
  if (files.empty())
    throw DataError(c10::str("cifar10: the folder ", folder.string(), " must hold data_batch_*.bin, it has none"));
  std::sort(files.begin(), files.end(), [](const fs::path& a, const fs::path& b) {
    const auto left = a.string(), right = b.string();
    return left.size() != right.size() ? left.size() < right.size() : left < right;
  });
  return files;
}

}  // namespace

std::pair<Dataset, Dataset> cifar10(const Cifar10Options& options) {
  const fs::path folder = options.path;
  const Images train = read_files(training_files(folder));
  const Images test = read_files({folder / "test_batch.bin"});
  return {data::TensorDataset(train.x, train.y), data::TensorDataset(test.x, test.y)};
}

}  // namespace tandem::datasets
