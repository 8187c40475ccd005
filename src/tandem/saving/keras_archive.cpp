#include "tandem/saving/keras_archive.h"

#include <c10/util/StringUtil.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <vector>

#include "tandem/core/error.h"
#include "tandem/core/zip_reader.h"
#include "tandem/core/zip_writer.h"
#include "tandem/saving/keras_version.h"

namespace tandem::saving {
namespace {

// Numbers hardly shrink when they are deflated. As Keras: what is large and grows more than a hundredfold is refused.
constexpr int64_t kFreeBytes = int64_t{256} << 20;
constexpr int64_t kMaxGrowth = 100;
// A config of the most layers that are read takes less; its tree takes about twenty times the text.
constexpr int64_t kLongestJson = int64_t{32} << 20;

constexpr const char* kPreprocessing = "tandem_preprocessing.h5";

// The member is there once: readers differ in which of several they take.
void check_once(const std::vector<std::string>& names, const std::string& path, const std::string& name) {
  if (std::count(names.begin(), names.end(), name) > 1)
    throw DataError(c10::str(path, ", member ", name, ": must be there once"));
}

std::string read_member(const ZipReader& zip, const std::string& path, const std::string& name) {
  std::error_code ignored;
  const auto packed = static_cast<int64_t>(std::filesystem::file_size(path, ignored));
  const int64_t unpacked = zip.open(name).size();
  if (unpacked > kFreeBytes && unpacked / kMaxGrowth > packed) {
    throw DataError(c10::str(path, ", member ", name, ": declares ", unpacked, " bytes in a file of ", packed,
                             ", more than weights can shrink"));
  }
  return zip.read(name);
}

Config read_json(const ZipReader& zip, const std::string& path, const std::string& name) {
  if (const int64_t size = zip.open(name).size(); size > kLongestJson)
    throw DataError(c10::str(path, ", member ", name, ": must have at most ", kLongestJson, " bytes, has ", size));
  const std::string text = read_member(zip, path, name);
  try {
    return Config::from_json(text);
  } catch (const DataError& error) {
    throw DataError(c10::str(path, ", member ", name, ": ", error.what()));
  }
}

}  // namespace

KerasArchive read_keras_archive(const std::string& path) {
  const ZipReader zip(path);
  const auto names = zip.names();
  for (const char* name : {"config.json", "metadata.json", "model.weights.h5", kPreprocessing})
    check_once(names, path, name);
  KerasArchive archive;
  archive.config = read_json(zip, path, "config.json");
  if (zip.contains("metadata.json")) archive.metadata = read_json(zip, path, "metadata.json");
  if (!zip.contains("model.weights.h5") && zip.contains("model.weights.npz"))
    throw DataError(
        c10::str(path, ": its weights are model.weights.npz, which cannot be read; save it with weights in h5"));
  archive.weights = read_member(zip, path, "model.weights.h5");
  if (zip.contains(kPreprocessing)) archive.preprocessing = read_member(zip, path, kPreprocessing);
  return archive;
}

void write_keras_archive(const KerasArchive& archive, const std::string& path) {
  const std::string metadata =
      Config::object({{"keras_version", kKerasVersion}, {"date_saved", "1980-01-01@00:00:00"}}).to_json();
  const std::string config = archive.config.to_json();
  std::vector<ZipMember> members{
      {"metadata.json", metadata}, {"config.json", config}, {"model.weights.h5", archive.weights}};
  if (!archive.preprocessing.empty()) members.push_back({kPreprocessing, archive.preprocessing});
  write_zip_file(path, members);
}

}  // namespace tandem::saving
