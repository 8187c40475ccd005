#include "targets.h"

#include <ATen/ATen.h>
#include <sys/mman.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <stdexcept>

#include "tandem/core/config.h"
#include "tandem/layers/layer_config.h"
#include "tandem/saving/keras_archive.h"
#include "tandem/saving/network_from_file.h"
#include "tandem/saving/safetensors.h"

namespace tandem::fuzz {
namespace {

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string fixture(const std::string& name) { return std::string(TANDEM_FIXTURES "/") + name; }

// What a reader of files is given: the bytes in a file that is in memory only, so that disks do not slow it down.
std::function<void(const std::string&)> from_file(const std::function<void(const std::string& path)>& read) {
  const int file = memfd_create("fuzzed", MFD_CLOEXEC);
  if (file < 0) throw std::runtime_error("cannot make a file in memory");
  return [=](const std::string& bytes) {
    const auto size = static_cast<ssize_t>(bytes.size());
    if (ftruncate(file, 0) != 0 || pwrite(file, bytes.data(), bytes.size(), 0) != size)
      throw std::runtime_error("cannot write a file in memory");
    read("/proc/self/fd/" + std::to_string(file));
  };
}

Target zip_directory(const std::string& folder) {
  const std::string path = folder + "/whole.keras";
  saving::write_keras_archive({.config = Config::object({{"class_name", "Sequential"}}),
                               .metadata = {},
                               .weights = std::string(40, 'w'),
                               .preprocessing = "p"},
                              path);
  return {"zip",
          {bytes_of(path), bytes_of(fixture("keras/saving/functional/model.keras")),
           bytes_of(fixture("keras/saving/refused/npz.keras")), bytes_of(fixture("keras/saving/refused/empty.keras"))},
          from_file([](const std::string& name) { saving::read_keras_archive(name); })};
}

Target config() {
  std::vector<std::string> seeds;
  for (const char* name : {"shared", "by_name", "nested", "sequential_nested", "several", "keras2_nested"})
    seeds.push_back(bytes_of(fixture(std::string("keras/networks/") + name + "/config.json")));
  return {"config", seeds, [](const std::string& text) {
            const auto network = saving::network_from_file(Config::from_json(text), 10'000);
            // What was taken can be written and read again.
            saving::network_from_file(Config::from_json(layer_to_config(*network).to_json()), 10'000);
          }};
}

Target safetensors(const std::string& folder) {
  const std::string path = folder + "/whole.safetensors";
  save_safetensors({{"a", at::ones({2, 3})}, {"b", at::ones({4}, at::kBool)}, {"c", at::ones({}, at::kLong)}}, path,
                   {{"format", "pt"}});
  return {"safetensors",
          {bytes_of(path), bytes_of(fixture("safetensors/types.safetensors"))},
          from_file([](const std::string& name) { load_safetensors(name); })};
}

}  // namespace

std::vector<Target> targets(const std::string& folder) {
  return {zip_directory(folder), config(), safetensors(folder), server_messages(), servers_of_hosts()};
}

}  // namespace tandem::fuzz
