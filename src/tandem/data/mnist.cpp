#include "tandem/data/mnist.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include <filesystem>
#include <vector>

#include "tandem/core/error.h"
#include "tandem/core/shape.h"
#include "tandem/data/download.h"
#include "tandem/data/idx.h"

namespace tandem::datasets {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kDigits = 10;
constexpr auto kDebianFashionMnist = "/usr/share/datasets/fashion-mnist";

// Sizes and checksums of the files as they were published; TensorFlow Datasets lists the same.
std::vector<data::RemoteFile> remote_files(const std::vector<std::string>& folders,
                                           const std::vector<data::RemoteFile>& files) {
  auto out = files;
  for (auto& file : out) {
    for (const auto& folder : folders) file.urls.push_back(folder + file.name);
  }
  return out;
}

std::vector<data::RemoteFile> mnist_files() {
  return remote_files(
      {"https://ossci-datasets.s3.amazonaws.com/mnist/", "https://storage.googleapis.com/cvdf-datasets/mnist/"},
      {{"train-images-idx3-ubyte.gz", {}, 9912422, "440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609"},
       {"train-labels-idx1-ubyte.gz", {}, 28881, "3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c"},
       {"t10k-images-idx3-ubyte.gz", {}, 1648877, "8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6"},
       {"t10k-labels-idx1-ubyte.gz", {}, 4542, "f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6"}});
}

std::vector<data::RemoteFile> fashion_mnist_files() {
  return remote_files(
      {"https://storage.googleapis.com/tensorflow/tf-keras-datasets/"},
      {{"train-images-idx3-ubyte.gz", {}, 26421880, "3aede38d61863908ad78613f6a32ed271626dd12800ba2636569512369268a84"},
       {"train-labels-idx1-ubyte.gz", {}, 29515, "a04f17134ac03560a47e3764e11b92fc97de4d1bfaf8ba1a3aa29af54cc90845"},
       {"t10k-images-idx3-ubyte.gz", {}, 4422102, "346e55b948d973a97e58d2351dde16a484bd415d4595297633bb08f03db6a073"},
       {"t10k-labels-idx1-ubyte.gz", {}, 5148, "67da17c76eaffca5446c3361aaab5c3cd6d1c2608764d35dfb1850b086bf8dd5"}});
}

// The plain file, or the packed one; "" when neither is there.
std::string find_file(const fs::path& folder, const std::string& name) {
  std::error_code unknown;
  for (const char* ending : {"", ".gz"}) {
    if (const auto file = folder / (name + ending); fs::exists(file, unknown)) return file.string();
  }
  return "";
}

Tensor read_array(const std::string& set, const fs::path& folder, const std::string& name, int64_t axes) {
  const auto file = find_file(folder, name);
  if (file.empty()) {
    throw DataError(c10::str(set, ": the folder ", folder.string(), " must hold ", name, " or ", name,
                             ".gz, it has neither; give the folder that does, or ask for the download"));
  }
  const Tensor values = load_idx(file);
  if (values.dim() != axes || values.size(0) == 0) {
    throw DataError(c10::str(set, ": ", file, " must hold an array of ", axes, " axes with rows, has the shape ",
                             Shape::of(values.sizes().vec())));
  }
  return values;
}

Dataset read_part(const std::string& set, const fs::path& folder, const std::string& part) {
  const Tensor images = read_array(set, folder, part + "-images-idx3-ubyte", 3);
  const Tensor labels = read_array(set, folder, part + "-labels-idx1-ubyte", 1).to(at::kLong);
  if (images.size(0) != labels.size(0)) {
    throw DataError(c10::str(set, ": ", folder.string(), " must hold a label for each image, the ", part, " part has ",
                             images.size(0), " images and ", labels.size(0), " labels"));
  }
  if (const auto largest = labels.max().item<int64_t>(); largest >= kDigits) {
    throw DataError(c10::str(set, ": ", folder.string(), ", the ", part, " part, row ", labels.argmax().item<int64_t>(),
                             ": the label must be 0 to 9, got ", largest));
  }
  return data::TensorDataset(images.unsqueeze(-1), labels);
}

std::pair<Dataset, Dataset> read_mnist(const std::string& set, const fs::path& folder, bool download,
                                       std::vector<data::RemoteFile> files) {
  if (download) {
    std::erase_if(files, [&](const data::RemoteFile& file) {
      return !find_file(folder, file.name.substr(0, file.name.size() - 3)).empty();
    });
    for (const auto& file : files) data::download(file, folder, set);
  }
  return {read_part(set, folder, "train"), read_part(set, folder, "t10k")};
}

}  // namespace

std::pair<Dataset, Dataset> mnist(const MnistOptions& options) {
  const auto folder = options.path.empty() ? data::cache_folder("mnist") : fs::path(options.path);
  return read_mnist("mnist", folder, options.download, mnist_files());
}

std::pair<Dataset, Dataset> fashion_mnist(const MnistOptions& options) {
  fs::path folder = options.path;
  if (folder.empty() && fs::exists(kDebianFashionMnist)) folder = kDebianFashionMnist;
  if (folder.empty()) folder = data::cache_folder("fashion_mnist");
  return read_mnist("fashion_mnist", folder, options.download && folder != kDebianFashionMnist, fashion_mnist_files());
}

}  // namespace tandem::datasets
