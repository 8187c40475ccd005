// Writes files that real Keras then opens (tests/conformance/open_with_keras.py), to the folder that TANDEM_WRITE_FILES
// names: MODEL.weights.h5 and MODEL.h5 for each model of tests/fixtures/saved_models.py, MODEL.values.npy with all
// weights in Keras's order, MODEL.x.npy and MODEL.output.npy.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "tandem/saving/keras_networks_test.h"
#include "tandem/saving/weights_file.h"
#include "tandem/testing/npy.h"

namespace tandem::saving {
namespace {

// float32, row-major, NumPy's format 1.0.
void write_npy(const std::string& path, const Tensor& values) {
  std::string shape;
  for (const int64_t size : values.sizes()) shape += std::to_string(size) + ", ";
  std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (" + shape + "), }";
  header.resize((10 + header.size()) / 64 * 64 + 64 - 11, ' ');
  header += '\n';
  const Tensor rows = values.to(at::kFloat).contiguous();
  const std::string data(static_cast<const char*>(rows.const_data_ptr()), rows.nbytes());
  const std::string size{static_cast<char>(header.size() % 256), static_cast<char>(header.size() / 256)};
  write_bytes(path, std::string("\x93NUMPY\x01\x00", 8) + size + header + data);
}

TEST(WriteForKeras, FilesAndWhatTheyHold) {
  const ScratchFolder scratch;
  const char* chosen = std::getenv("TANDEM_WRITE_FILES");
  if (chosen) std::filesystem::create_directories(chosen);
  const std::string folder = chosen ? chosen : scratch.file("");
  for (const std::string model : {"functional", "sequential", "subclassed"}) {
    const std::string stem = folder + "/" + model;
    const auto network = network_named(model);
    set_counted_weights(*network);
    const Tensor x = testing::load_npy(testing::fixture("keras/saving/" + model + "/x.npy"));
    save_weights(*network, stem + ".weights.h5");
    save_weights(*network, stem + ".h5");
    write_npy(stem + ".values.npy", flat_weights(*network));
    write_npy(stem + ".x.npy", x);
    write_npy(stem + ".output.npy", output_of(*network, x));
    EXPECT_TRUE(at::equal(testing::load_npy(stem + ".values.npy"), flat_weights(*network)));
    EXPECT_TRUE(at::equal(testing::load_npy(stem + ".x.npy"), x));
  }
}

}  // namespace
}  // namespace tandem::saving
