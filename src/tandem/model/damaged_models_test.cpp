// Whole models whose files are cut short, changed, or made to do harm: a DataError that names the member, little
// memory, and nothing written.
#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <filesystem>

#include "tandem/core/error.h"
#include "tandem/core/zip_reader.h"
#include "tandem/core/zip_writer.h"
#include "tandem/model/load_model.h"
#include "tandem/testing/captured_log.h"
#include "tandem/testing/message_of.h"
#include "tandem/testing/npy.h"
#include "tandem/testing/temporary_folder.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;
using testing::file_bytes;
using testing::fixture;

int64_t peak_megabytes() {
  struct rusage usage {};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss / 1024;
}

class DamagedModels : public ::testing::Test {
 protected:
  // What load_model says of the archive, without its path.
  std::string refused() {
    const auto message = testing::message_of<DataError>([&] { load_model(path_); });
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    return message.starts_with(path_) ? message.substr(path_.size()) : message;
  }
  std::string refused_with(const std::string& config, const std::vector<ZipMember>& more = {}) {
    std::vector<ZipMember> members{{"config.json", config}, {"model.weights.h5", weights_}};
    members.insert(members.end(), more.begin(), more.end());
    write_zip_file(path_, members);
    return refused();
  }
  // The config with a text in it replaced.
  std::string config_with(const std::string& from, const std::string& to) const {
    const auto place = config_.find(from);
    EXPECT_NE(place, std::string::npos) << from;
    return std::string(config_).replace(place, from.size(), to);
  }

  const testing::TemporaryFolder folder_;
  const std::string path_ = folder_.file("m.keras");
  const std::string archive_ = fixture("keras/networks/files/model.keras");
  const ZipReader zip_{archive_};
  const std::string config_ = zip_.read("config.json"), weights_ = zip_.read("model.weights.h5");
};

TEST_F(DamagedModels, CutShortAnywhere) {
  const testing::CapturedLog log;
  for (const std::string name : {"model.keras", "whole.h5", "keras2.h5"}) {
    const std::string whole = file_bytes(fixture("keras/networks/files/" + name));
    const std::string path = folder_.file(name);
    for (std::size_t length = 0; length < whole.size(); length += whole.size() / 40 + 1) {
      folder_.write(name, whole.substr(0, length));
      const auto message = testing::message_of<DataError>([&] { load_model(path); });
      EXPECT_TRUE(message.starts_with(path)) << name << ", " << length << ": " << message;
    }
  }
}

TEST_F(DamagedModels, UnknownLayersAreNamedWithTheirPlaceAndTheNearestName) {
  const std::string message = refused_with(config_with(R"("class_name": "Dense")", R"("class_name": "Dens")"));
  EXPECT_TRUE(message.starts_with(", member config.json: model config: layers[1] '")) << message;
  EXPECT_NE(message.find("layer 'Dens' is not known; did you mean 'Dense'"), std::string::npos) << message;
}

TEST_F(DamagedModels, CodeIsNamedAndNeverRun) {
  const std::string code =
      R"("activation": {"class_name": "__lambda__", "config": {"code": "4wEA", "defaults": null}})";
  const std::string message = refused_with(config_with(R"("activation": "tanh")", code));
  EXPECT_TRUE(
      message.starts_with(", member config.json: model config: layers[1] 'h': holds Python code, which is never run"))
      << message;
}

TEST_F(DamagedModels, HugeLayersTakeNoMemory) {
  const int64_t before = peak_megabytes();
  for (const char* units : {"1000000000", "4000000000000", "4611686018427387904"}) {
    const std::string config = R"({"class_name": "Sequential", "config": {"name": "m", "layers": [)"
                               R"({"class_name": "InputLayer", "config": {"batch_shape": [null, 1000], "name": "x"}},)"
                               R"({"class_name": "Dense", "config": {"name": "wide", "units": )" +
                               std::string(units) + "}}]}}";
    const std::string message = refused_with(config);
    EXPECT_EQ(message, ", member config.json: model config: layer 'wide' (Dense): weight 'kernel' of shape (1000, " +
                           std::string(units) + ") is more than the file's weights can hold");
  }
  EXPECT_LT(peak_megabytes() - before, 300);
}

TEST_F(DamagedModels, WeightsOfOtherSizesNameTheirMember) {
  EXPECT_EQ(refused_with(config_with(R"("units": 3)", R"("units": 13)")),
            ", member model.weights.h5: layers/dense/vars/0: kernel must have shape (4, 13), has (4, 3); layer 'h'");
  write_zip_file(path_,
                 std::vector<ZipMember>{{"config.json", config_}, {"model.weights.h5", weights_.substr(0, 900)}});
  EXPECT_TRUE(refused().starts_with(", member model.weights.h5")) << refused();
}

TEST_F(DamagedModels, LongConfigsAndMembersThatAreThereTwice) {
  const std::string message = refused_with(std::string((32 << 20) + 1, '['));
  EXPECT_EQ(message, ", member config.json: must have at most 33554432 bytes, has 33554433");
  EXPECT_NE(refused_with(std::string(1 << 20, '[')).find(", member config.json: JSON: must not nest deeper than"),
            std::string::npos);
  // Two members of one name: of equal length, so that only the name changes.
  EXPECT_EQ(refused_with(config_, {{"config.jso2", "{}"}}), "nothing was thrown");
  std::string bytes = file_bytes(path_);
  for (auto at = bytes.find("config.jso2"); at != std::string::npos; at = bytes.find("config.jso2"))
    bytes[at + 10] = 'n';
  folder_.write("m.keras", bytes);
  EXPECT_EQ(refused(), ", member config.json: must be there once");
}

// Nothing of an archive is unpacked to the disk, so that names that lead out of it lead nowhere.
TEST_F(DamagedModels, NamesThatLeadOutOfTheArchive) {
  const testing::CapturedLog log;
  EXPECT_EQ(refused_with(config_, {{"../escaped.txt", "text"}, {"/tmp/tandem_escaped.txt", "text"}}),
            "nothing was thrown");
  EXPECT_FALSE(fs::exists(folder_.path().parent_path() / "escaped.txt"));
  EXPECT_FALSE(fs::exists("/tmp/tandem_escaped.txt"));
  write_zip_file(path_, std::vector<ZipMember>{{"../config.json", config_}, {"model.weights.h5", weights_}});
  EXPECT_EQ(refused(), ": has no member config.json");
}

}  // namespace
}  // namespace tandem
