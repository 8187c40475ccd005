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
#include "tandem/data/download.h"
#include "tandem/data/tar_gz.h"

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

const std::vector<std::string>& file_names() {
  static const std::vector<std::string> names{"data_batch_1.bin", "data_batch_2.bin", "data_batch_3.bin",
                                              "data_batch_4.bin", "data_batch_5.bin", "test_batch.bin"};
  return names;
}

bool has_all_files(const fs::path& folder) {
  return std::all_of(file_names().begin(), file_names().end(),
                     [&](const std::string& name) { return fs::exists(folder / name); });
}

// The archive goes when its files are there.
void fetch_files(const fs::path& folder) {
  const data::RemoteFile archive{"cifar-10-binary.tar.gz",
                                 {"https://www.cs.toronto.edu/~kriz/cifar-10-binary.tar.gz"},
                                 170052171,
                                 "c4a38c50a1bc5f3a1c5537f2155ab9d68f9f25eb1ed8d9ddda3db29a59bca1dd"};
  constexpr int64_t kRecordsOfAFile = 10000;
  std::vector<data::TarMember> members;
  for (const auto& name : file_names()) members.push_back({"cifar-10-batches-bin/" + name, kRecordsOfAFile * kRecord});
  data::download(archive, folder, "cifar10");
  data::unpack_tar_gz((folder / archive.name).string(), members, folder);
  fs::remove(folder / archive.name);
}

}  // namespace

std::pair<Dataset, Dataset> cifar10(const Cifar10Options& options) {
  const fs::path folder = options.path.empty() ? data::cache_folder("cifar10") : fs::path(options.path);
  if (options.download && !has_all_files(folder)) fetch_files(folder);
  const Images train = read_files(training_files(folder));
  const Images test = read_files({folder / "test_batch.bin"});
  return {data::TensorDataset(train.x, train.y), data::TensorDataset(test.x, test.y)};
}

}  // namespace tandem::datasets
