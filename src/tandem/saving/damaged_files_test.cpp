// Files that are cut short, changed, foreign, or made to do harm: a DataError, and nothing else.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "tandem/core/error.h"
#include "tandem/saving/keras_archive.h"
#include "tandem/saving/keras_networks_test.h"
#include "tandem/saving/weights_file.h"
#include "tandem/testing/captured_log.h"
#include "tandem/testing/message_of.h"
#include "tandem/testing/npy.h"

#ifdef __SANITIZE_ADDRESS__
// HDF5 1.10 itself copies a few bytes too many out of some damaged headers (H5Aexists): its own calls are not judged.
extern "C" const char* __asan_default_suppressions() { return "interceptor_via_lib:libhdf5"; }
// It also asks for absurd amounts of memory then, and takes a refusal well.
extern "C" const char* __asan_default_options() { return "allocator_may_return_null=1"; }
#endif

namespace tandem::saving {
namespace {

using testing::fixture;
using testing::message_of;

std::string refused(const std::string& path) {
  const auto network = dense_network();
  const Tensor before = flat_weights(*network);
  const auto message = message_of<DataError>([&] { load_weights(*network, path); });
  EXPECT_TRUE(at::equal(flat_weights(*network), before));
  return message.starts_with(path) ? message.substr(path.size()) : message;
}

TEST(DamagedFiles, CutShortAnywhere) {
  const ScratchFolder folder;
  for (const std::string name : {"a.weights.h5", "a.h5"}) {
    const auto network = functional_network();
    save_weights(*network, folder.file(name));
    const std::string whole = read_bytes(folder.file(name));
    for (std::size_t length = 0; length < whole.size(); length += 97) {
      write_bytes(folder.file(name), whole.substr(0, length));
      EXPECT_NE(message_of<DataError>([&] { load_weights(*network, folder.file(name)); }).find(name), std::string::npos)
          << length;
    }
    EXPECT_THROW(load_weights_image(*network, whole.substr(0, whole.size() / 2), "image"), DataError);
  }
}

TEST(DamagedFiles, ChangedBytesAreAnErrorOrOtherValues) {
  const ScratchFolder folder;
  const testing::CapturedLog log;
  const auto network = sequential_network();
  save_weights(*network, folder.file("ours.weights.h5"));
  save_weights(*network, folder.file("ours.h5"));
  const std::string keras = fixture("keras/saving/sequential/");
  for (const auto& file : {folder.file("ours.weights.h5"), folder.file("ours.h5"), keras + "keras2.h5"}) {
    const std::string whole = read_bytes(file);
    int errors = 0;
    for (std::size_t place = 0; place < whole.size(); place += 13) {
      std::string changed = whole;
      changed[place] = static_cast<char>(changed[place] ^ (place % 2 == 0 ? 0xFF : 0x10));
      try {
        load_weights_image(*network, changed, "image");
      } catch (const DataError& error) {
        ++errors;
        EXPECT_NE(std::string(error.what()).find("image"), std::string::npos) << error.what();
      }
    }
    EXPECT_GT(errors, 100) << file;
  }
}

TEST(DamagedFiles, ForeignFiles) {
  const ScratchFolder folder;
  EXPECT_EQ(refused(folder.file("none.h5")), ": cannot be read: No such file or directory");
  EXPECT_EQ(refused(folder.file("")), ": is a folder; a weights file is needed");
  write_bytes(folder.file("a.weights.h5"), "");
  EXPECT_EQ(refused(folder.file("a.weights.h5")),
            ": is neither an HDF5 file nor a .keras archive nor a safetensors file");
  write_bytes(folder.file("a.weights.json"), R"({"weight_map": {}})");
  EXPECT_EQ(refused(folder.file("a.weights.json")),
            ": lists the parts of weights that were saved with max_shard_size, "
            "which cannot be read; save them as one file");
  EXPECT_EQ(refused(fixture("keras/saving/refused/other.h5")),
            ": is not a weights file of Keras; at its top are: readings");
}

TEST(DamagedFiles, WhatKerasRefusesToo) {
  const auto at = [](const std::string& name) { return fixture("keras/saving/refused/" + name + ".weights.h5"); };
  EXPECT_EQ(refused(at("huge_shape")),
            ": layers/dense/vars/0: kernel must have shape (3, 2), has (1099511627776, 1048576); layer 'dense'");
  EXPECT_EQ(refused(at("huge_chunk")), ": layers/dense/vars/0: has chunks far larger than itself");
  EXPECT_EQ(refused(at("never_written")), ": layers/dense/vars/0: must hold 24 bytes of values, holds 0");
  EXPECT_EQ(refused(at("soft_link")), ": layers/dense/vars/0: is a link to elsewhere, which is not followed");
  EXPECT_EQ(refused(at("external_link")), ": layers/dense/vars/0: is a link to elsewhere, which is not followed");
  EXPECT_EQ(refused(at("external_data")), ": layers/dense/vars/0: keeps its values in another file, which is not read");
  EXPECT_EQ(refused(at("text")), ": layers/dense/vars/0: must hold numbers");
  EXPECT_NE(refused(at("endless")).find(": the file's groups are nested without end"), std::string::npos);
}

TEST(DamagedFiles, Archives) {
  const ScratchFolder folder;
  const std::string path = folder.file("a.keras");
  const std::string whole = read_bytes(fixture("keras/saving/functional/model.keras"));
  const auto network = functional_network();
  for (std::size_t length = 4; length < whole.size(); length += 131) {
    write_bytes(path, whole.substr(0, length));
    EXPECT_NE(message_of<DataError>([&] { load_weights(*network, path); }).find(path), std::string::npos) << length;
  }
  for (std::size_t place = 0; place < whole.size(); place += 17) {
    std::string changed = whole;
    changed[place] = static_cast<char>(changed[place] ^ 0xFF);
    write_bytes(path, changed);
    try {
      load_weights(*network, path);
    } catch (const DataError& error) {
      EXPECT_NE(std::string(error.what()).find(path), std::string::npos) << error.what();
    }
  }
}

// A zip file of config.json, "{}", and model.weights.h5 of these bytes, which say that they are deflated and unpack to
// `unpacked`.
std::string zip_claiming(const std::string& weights, uint32_t unpacked) {
  const auto number = [](uint64_t value, int width) {
    std::string text;
    for (int i = 0; i < width; ++i, value >>= 8) text += static_cast<char>(value & 0xFF);
    return text;
  };
  std::string locals, centrals;
  const auto add = [&](const std::string& name, const std::string& bytes, int method, uint64_t sum, uint64_t size) {
    // Version 2.0, no flags, the method, midnight, 1 January 1980, the checksum.
    const std::string about = number(20, 2) + number(0, 2) + number(method, 2) + number(0, 2) + number(33, 2) +
                              number(sum, 4) + number(bytes.size(), 4) + number(size, 4) + number(name.size(), 2) +
                              number(0, 2);
    centrals += "PK\x01\x02" + number(20, 2) + about + number(0, 10) + number(locals.size(), 4) + name;
    locals += "PK\x03\x04" + about + name + bytes;
  };
  add("config.json", "{}", 0, 0xa3a6bf43, 2);
  add("model.weights.h5", weights, 8, 0, unpacked);
  return locals + centrals + "PK\x05\x06" + number(0, 4) + number(2, 2) + number(2, 2) + number(centrals.size(), 4) +
         number(locals.size(), 4) + number(0, 2);
}

TEST(DamagedFiles, ArchiveThatUnpacksToFarMoreThanItIs) {
  const ScratchFolder folder;
  write_bytes(folder.file("bomb.keras"), zip_claiming(std::string(2 << 20, 'x'), 300U << 20));
  const auto message = message_of<DataError>([&] { read_keras_archive(folder.file("bomb.keras")); });
  EXPECT_NE(message.find(", member model.weights.h5: declares 314572800 bytes in a file of "), std::string::npos)
      << message;
  EXPECT_NE(message.find("more than weights can shrink"), std::string::npos) << message;
}

TEST(DamagedFiles, ArchivesOfOtherThings) {
  EXPECT_NE(message_of<DataError>([] {
              read_keras_archive(fixture("keras/saving/refused/npz.keras"));
            }).find("model.weights.npz, which cannot be read"),
            std::string::npos);
  EXPECT_NE(message_of<DataError>([] {
              read_keras_archive(fixture("keras/saving/refused/empty.keras"));
            }).find("has no member config.json"),
            std::string::npos);
}

}  // namespace
}  // namespace tandem::saving
